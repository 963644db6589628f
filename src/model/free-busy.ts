import { z } from 'zod';
import { eventDateTime } from './event.ts';
import { showAs } from './event-extensions.ts';

/**
 * Kinds of busy time, by the `showAs` of its events; the strongest first. RFC 5545 §3.2.9 has them as BUSY-UNAVAILABLE, BUSY and
 * BUSY-TENTATIVE; a person who works elsewhere can still be met.
 */
export const BUSY_TYPES = ['oof', 'busy', 'tentative', 'workingElsewhere'] as const;
export const busyType = showAs.extract(BUSY_TYPES);
export type BusyType = z.infer<typeof busyType>;

/** Body of POST /v1/freeBusy/{endUserAccountId}; every field of the specification is required. */
export const freeBusyQuery = z
  .strictObject({
    startDateTime: z.string(),
    endDateTime: z.string(),
    timeZone: z.string(),
    calendarIds: z
      .array(z.string().min(1))
      .min(1, 'must name at least one calendar')
      .max(50, 'must name at most 50 calendars'),
    includeTypes: z
      .boolean()
      .optional()
      .meta({ description: 'Extension: whether slots have a type. Slots of different types are not merged.' }),
  })
  .meta({ id: 'FreeBusyQuery' });
export type FreeBusyQuery = z.input<typeof freeBusyQuery>;

const busySlot = z.object({
  start: eventDateTime,
  end: eventDateTime,
  type: busyType
    .optional()
    .meta({ description: 'Extension: the strongest kind of busy time in the slot; with includeTypes only.' }),
});

/** Spec §2.6, one element per requested calendar, in the order of the request. */
export const freeBusyResult = z
  .array(z.object({ calendarId: z.string(), busySlots: z.array(busySlot) }).meta({ id: 'CalendarBusySlots' }))
  .meta({ id: 'FreeBusyResult' });
export type FreeBusyResult = z.infer<typeof freeBusyResult>;
