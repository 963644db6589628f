import { z } from 'zod';
import { eventDateTime } from './event.ts';

/** Body of POST /v1/freeBusy/{endUserAccountId}; every field is required. */
export const freeBusyQuery = z
  .strictObject({
    startDateTime: z.string(),
    endDateTime: z.string(),
    timeZone: z.string(),
    calendarIds: z
      .array(z.string().min(1))
      .min(1, 'must name at least one calendar')
      .max(50, 'must name at most 50 calendars'),
  })
  .meta({ id: 'FreeBusyQuery' });
export type FreeBusyQuery = z.infer<typeof freeBusyQuery>;

/** Spec §2.6, one element per requested calendar, in the order of the request. */
export const freeBusyResult = z
  .array(
    z
      .object({ calendarId: z.string(), busySlots: z.array(z.object({ start: eventDateTime, end: eventDateTime })) })
      .meta({ id: 'CalendarBusySlots' }),
  )
  .meta({ id: 'FreeBusyResult' });
export type FreeBusyResult = z.infer<typeof freeBusyResult>;
