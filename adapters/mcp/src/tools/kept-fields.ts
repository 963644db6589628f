import type { CalendarEvent } from 'kalends/model';
import { dayWords, wallOf } from '../words/time-words.ts';
import type { EditedEvent } from './edited-event.ts';
import { daysAfter, type SeriesPlan } from './series-outlook.ts';

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
 * Says which occurrences of those that a change reaches keep their own of the fields that it writes, as they were changed alone, and on
 * which days. The one that the change names is written over, and those for which `after`, the series with its new dates, has none are gone.
 */
export function keptWords(
  { event, series, scope, reached }: EditedEvent,
  written: readonly OwnField[],
  after: SeriesPlan | undefined,
): readonly string[] {
  const whole = series ?? event;
  const dayOf =
    after === undefined || whole.recurrence === null
      ? ({ start }: CalendarEvent) => wallOf(start)
      : daysAfter(whole, scope === 'following' ? event : undefined, after);
  const own = reached.filter(({ id }) => id !== event.id);
  return written.flatMap((field) => {
    const textOf = FIELDS[field];
    const kept = own.filter((each) => textOf(each) !== textOf(whole));
    const days = kept.flatMap((each) => dayOf(each) ?? []).map(dayWords);
    if (days.length === 0) return [];
    const others = days.length > DATES ? ` and ${days.length - DATES} more` : '';
    const count = days.length === 1 ? '1 occurrence keeps its' : `${days.length} occurrences keep their`;
    return [`  ${count} own ${field}, changed alone before: ${days.slice(0, DATES).join('; ')}${others}.`];
  });
}
