import { type CalendarRef, type EventContent, type EventPatch, ProviderError } from 'kalends/ports';
import { canonicalJson, isEcho } from './echo.ts';
import { readEvent } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';

/** Fields that belong to the organizer, and are compared as they were: Google may store a text or time in another form. */
const MAIN = [
  'title',
  'description',
  'location',
  'start',
  'end',
  'isAllDay',
  'recurrence',
] as const satisfies readonly (keyof EventPatch)[];

/**
 * Checks that Google has taken a patch. It may answer the change of a guest with 200 and ignore it
 * (googleapis/google-api-nodejs-client#2989). `before` is the event before the patch, where it is known.
 * @throws ProviderError not-organizer, naming the first field that was to change and is as before; partly-taken where
 *   another field of the patch has changed, so that the write did something and its outcome has to be read
 */
export function requireTaken(
  patch: EventPatch,
  { wire, before, calendar }: { wire: WireEvent; before: EventContent | undefined; calendar: CalendarRef },
): void {
  if (wire.organizer?.self === true || before === undefined) return;
  const { content } = readEvent(wire, { calendarZone: calendar.timeZone });
  const fields: Readonly<Record<string, unknown>> = { ...content };
  const earlier: Readonly<Record<string, unknown>> = { ...before };
  const isChanged = (field: string) => canonicalJson(fields[field]) !== canonicalJson(earlier[field]);
  const ignored = MAIN.find(
    (field) => patch[field] !== undefined && !isEcho({ [field]: patch[field] }, before) && !isChanged(field),
  );
  if (ignored === undefined) return;
  if (Object.keys(patch).some(isChanged)) {
    throw new ProviderError('partly-taken', 'Google has not taken it: only the organizer may change it', {
      field: ignored,
    });
  }
  throw new ProviderError('not-organizer', 'Google has not taken the change of a guest', { field: ignored });
}
