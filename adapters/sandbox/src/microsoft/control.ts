import { z } from 'zod';
import type { MicrosoftWorld, StoredCalendar } from './state.ts';

/** A control verb: it takes one JSON object and answers one. */
export type Control = (input: Readonly<Record<string, unknown>>) => unknown;

export const share = z.number().min(0).max(1);
export const address = z.string().transform((text) => text.toLowerCase());
export const maybeAddress = z.strictObject({ email: address.optional() });

/** Reads the input of a control. @throws RangeError naming the field */
export function control<T>(world: MicrosoftWorld, schema: z.ZodType<T>, run: (input: T) => unknown): Control {
  return (input) => {
    const result = schema.safeParse(input);
    if (!result.success) {
      const [issue] = result.error.issues;
      throw new RangeError(`${issue?.path.join('.') || 'input'}: ${issue?.message}`);
    }
    const answer = run(result.data);
    world.kernel.touched();
    return answer ?? {};
  };
}

/** Returns a calendar of a mailbox, the default one without an id. @throws RangeError */
export function calendarBehind(world: MicrosoftWorld, email: string, calendarId: string | undefined): StoredCalendar {
  const links = world.state.mailboxes[email]?.calendarLinks ?? [];
  const link = calendarId === undefined ? links[0] : links.find(({ id }) => id === calendarId);
  const calendar = link && world.state.calendars[link.calendarKey];
  if (!calendar) throw new RangeError(`calendarId: no such calendar of ${email}`);
  return calendar;
}
