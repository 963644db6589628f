import { z } from 'zod';

/** Spec §2.3. */
export const calendar = z
  .object({
    id: z.string(),
    name: z.string(),
    hexColor: z.string().meta({ description: 'Hexadecimal colour with a leading #.' }),
    readOnly: z.boolean(),
    isPrimary: z.boolean(),
    isShared: z.boolean(),
    timeZone: z.string().meta({ description: 'IANA time zone name.' }),
    inviteEmail: z.string(),
    allowedOnlineMeetingProviders: z.array(z.string()),
    defaultOnlineMeetingProvider: z.string(),
  })
  .meta({ id: 'Calendar' });
export type Calendar = z.infer<typeof calendar>;

/** Record of a sync result that tells the client to drop a calendar. */
export const deletedCalendar = z.object({ id: z.string(), isDeleted: z.literal(true) }).meta({ id: 'DeletedCalendar' });
export type DeletedCalendar = z.infer<typeof deletedCalendar>;

const name = z.string().min(1, 'must not be empty').max(254, 'must be at most 254 characters');
const hexColor = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be # and six hexadecimal digits');

/** Read-only fields, ignored in a body so that a client can send back a record it has read. */
const ignored = {
  id: z.unknown().optional(),
  readOnly: z.unknown().optional(),
  isPrimary: z.unknown().optional(),
  isShared: z.unknown().optional(),
  inviteEmail: z.unknown().optional(),
  allowedOnlineMeetingProviders: z.unknown().optional(),
  defaultOnlineMeetingProvider: z.unknown().optional(),
};

/** Body of POST /v1/calendars/{endUserAccountId}. */
export const calendarCreate = z
  .strictObject({
    ...ignored,
    name,
    hexColor: hexColor.nullable().optional(),
    timeZone: z.string().nullable().optional(),
  })
  .transform(({ name, hexColor, timeZone }) => ({ name, hexColor, timeZone }))
  .meta({ id: 'CalendarCreate' });
export type CalendarCreate = z.input<typeof calendarCreate>;

/** Body of PUT: absent fields stay, null clears. */
export const calendarUpdate = z
  .strictObject({
    ...ignored,
    name: name.optional(),
    hexColor: hexColor.nullable().optional(),
    timeZone: z.string().nullable().optional(),
  })
  .transform(({ name, hexColor, timeZone }) => ({ name, hexColor, timeZone }))
  .meta({ id: 'CalendarUpdate' });
export type CalendarUpdate = z.input<typeof calendarUpdate>;
