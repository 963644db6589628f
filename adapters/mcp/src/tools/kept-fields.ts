import type { CalendarEvent } from 'kalends/model';
import { dayWords, wallOf } from '../words/time-words.ts';
import type { EditedEvent } from './edited-event.ts';

/** Most dates of a line. */
const DATES = 5;

type OwnField = 'title' | 'place' | 'description' | 'attendees';

const FIELDS: Readonly<Record<OwnField, (event: CalendarEvent) => string>> = {
  title: ({ title }) => title,
  place: ({ location }) => location,
  description: ({ description }) => description,
  attendees: ({ attendees }) =>
    attendees
      .map(({ email }) => email.toLowerCase())
      .sort()
      .join('\n'),
};

/**
 * Says which occurrences of those that a change reaches keep their own of the fields that it writes, as they were changed alone. The one
 * that the change names is written over.
 */
export function keptWords({ event, series, reached }: EditedEvent, written: readonly OwnField[]): readonly string[] {
  const whole = series ?? event;
  return written.flatMap((field) => {
    const textOf = FIELDS[field];
    const kept = reached.filter((each) => each.id !== event.id && textOf(each) !== textOf(whole));
    if (kept.length === 0) return [];
    const days = kept.map(({ start }) => dayWords(wallOf(start)));
    const others = days.length > DATES ? ` and ${days.length - DATES} more` : '';
    const count = days.length === 1 ? '1 occurrence keeps its' : `${days.length} occurrences keep their`;
    return [`  ${count} own ${field}, changed alone before: ${days.slice(0, DATES).join('; ')}${others}.`];
  });
}
