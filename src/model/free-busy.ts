import { z } from 'zod';
import { eventDateTime } from './event.ts';
import { showAs } from './event-extensions.ts';

/**
 * Kinds of busy time, by the `showAs` of its events; the strongest first. RFC 5545 §3.2.9 has them as BUSY-UNAVAILABLE, BUSY and
 * BUSY-TENTATIVE; a person who works elsewhere can still be met.
 */
export const BUSY_TYPES = ['oof', 'busy', 'tentative', 'workingElsewhere'] as const;
export const busyType = showAs.extract(BUSY_TYPES).describe('Kind of busy time.');

/** Body of POST /v1/freeBusy/{endUserAccountId}; every field of the specification is required. */
export const freeBusyQuery = z
  .strictObject({
    startDateTime: z.string().describe('Start of the window: ISO 8601; without an offset, wall time in `timeZone`.'),
    endDateTime: z.string().describe('End of the window, exclusive; at most 366 days later.'),
    timeZone: z.string().describe('Zone of the times in the answer, by its IANA or Windows name.'),
    calendarIds: z
      .array(z.string().min(1))
      .min(1, 'must name at least one calendar')
      .max(50, 'must name at most 50 calendars')
      .describe('Ids of 1 to 50 calendars of the account.'),
    includeTypes: z
      .boolean()
      .optional()
      .meta({ description: 'Extension: whether slots have a type. Slots of different types are not merged.' }),
  })
  .meta({ id: 'FreeBusyQuery', description: 'Calendars and the window in which their busy time is wanted.' });

export const busySlot = z
  .object({
    start: eventDateTime,
    end: eventDateTime,
    type: busyType
      .optional()
      .meta({ description: 'Extension: the strongest kind of busy time in the slot; with includeTypes only.' }),
  })
  .meta({ id: 'BusySlot', description: 'A range of busy time: the start is part of it, the end is not.' });

export const calendarBusySlots = z
  .object({
    calendarId: z.string().describe('Id of the calendar.'),
    busySlots: z.array(busySlot).describe('Busy time in the window, merged, in order of time.'),
  })
  .meta({ id: 'CalendarBusySlots', description: 'Busy time of one calendar.' });

/** Spec §2.6. */
export const freeBusyResult = z
  .array(calendarBusySlots)
  .meta({ id: 'FreeBusyResult', description: 'One element for each requested calendar, in the order of the request.' });
