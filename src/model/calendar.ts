import { z } from 'zod';
import { describedAs } from './primitives.ts';

/** Spec §2.3. */
export const calendar = z
  .object({
    id: z.string().describe("The provider's id of the calendar."),
    name: z.string().describe('Display name.'),
    hexColor: z.string().meta({ description: 'Hexadecimal colour with a leading #.' }),
    readOnly: z.boolean().describe('Whether the account may not change the calendar and its events.'),
    isPrimary: z.boolean().describe("Whether it is the account's own calendar, which cannot be deleted."),
    isShared: z.boolean().describe('Whether the calendar of another person or of a group is shared to the account.'),
    timeZone: z.string().meta({ description: 'IANA time zone name.' }),
    inviteEmail: z.string().describe('Address of invitations to and from the calendar.'),
    allowedOnlineMeetingProviders: z.array(z.string()).describe('Meeting services that its events may have.'),
    defaultOnlineMeetingProvider: z.string().describe('Meeting service of its events by default; empty without one.'),
  })
  .meta({ id: 'Calendar', description: 'A calendar of an account.' });

/** Record of a sync result that tells the client to drop a calendar. */
export const deletedCalendar = z
  .object({
    id: z.string().describe('Id of the calendar.'),
    isDeleted: z.literal(true).describe('Tells the record from a calendar.'),
  })
  .meta({ id: 'DeletedCalendar', description: 'Record of a sync result: drop this calendar.' });

const name = z.string().min(1, 'must not be empty').max(254, 'must be at most 254 characters');
const hexColor = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be # and six hexadecimal digits');

/** Read-only fields, ignored in a body so that a client can send back a record it has read. */
const ignored = describedAs(calendar.shape, {
  id: z.unknown().optional(),
  readOnly: z.unknown().optional(),
  isPrimary: z.unknown().optional(),
  isShared: z.unknown().optional(),
  inviteEmail: z.unknown().optional(),
  allowedOnlineMeetingProviders: z.unknown().optional(),
  defaultOnlineMeetingProvider: z.unknown().optional(),
});

/** Body of POST /v1/calendars/{endUserAccountId}. */
export const calendarCreate = z
  .strictObject({
    ...describedAs(calendar.shape, {
      name,
      hexColor: hexColor.nullable().optional(),
      timeZone: z.string().nullable().optional(),
    }),
    ...ignored,
  })
  .transform(({ name, hexColor, timeZone }) => ({ name, hexColor, timeZone }))
  .meta({ id: 'CalendarCreate', description: 'A calendar to create. Read-only fields are ignored.' });

/** Body of PUT: absent fields stay, null clears. */
export const calendarUpdate = z
  .strictObject({
    ...describedAs(calendar.shape, {
      name: name.optional(),
      hexColor: hexColor.nullable().optional(),
      timeZone: z.string().nullable().optional(),
    }),
    ...ignored,
  })
  .transform(({ name, hexColor, timeZone }) => ({ name, hexColor, timeZone }))
  .meta({
    id: 'CalendarUpdate',
    description: 'Changes of a calendar: absent fields stay, null clears. Read-only fields are ignored.',
  });
