import { z } from 'zod';

const text = z.string().nullish();
const flag = z.boolean().nullish();

export const wireCalendarEntry = z.object({
  id: z.string(),
  etag: text,
  summary: text,
  summaryOverride: text,
  timeZone: text,
  backgroundColor: text,
  accessRole: text,
  primary: flag,
  deleted: flag,
  dataOwner: text,
  conferenceProperties: z.object({ allowedConferenceSolutionTypes: z.array(z.string()).nullish() }).nullish(),
});
export type WireCalendarEntry = z.infer<typeof wireCalendarEntry>;

/** Whether an entry is deleted, without its other fields. One that cannot be read exists too. */
export const wireCalendarStatus = z.object({ deleted: z.literal(true) }).or(z.unknown().transform(() => undefined));

/** An entry of which only the deletion matters. */
export const wireDeletedEntry = z.object({ id: z.string(), deleted: z.literal(true) });

/** A page whose entries are not checked yet. */
export const uncheckedCalendarList = z.object({
  items: z.array(z.unknown()).nullish(),
  nextPageToken: text,
  nextSyncToken: text,
});

export const wireCalendar = z.object({ id: z.string() });

/** One of the account's settings. */
export const wireSetting = z.object({ value: z.string() });
