import { type ErrorCode, KalendsError } from 'kalends';
import type { Calendar } from 'kalends/model';
import { ToolRefusal } from '../tool-refusal.ts';
import { DATA_NOTE, quoted, quotedName, quotedStart } from '../words/quoted.ts';

/** A calendar that could not be read, and why. */
interface UnreadCalendar {
  readonly calendar: Calendar;
  readonly error: KalendsError;
}

/** Results of the calendars that could be read, in their order, and those that could not. */
interface CalendarReads<Result> {
  readonly results: readonly Result[];
  readonly unread: readonly UnreadCalendar[];
}

/** Errors of one calendar, whose neighbours may well be read. */
const OF_ONE_CALENDAR: ReadonlySet<ErrorCode> = new Set([
  'CalendarSyncing',
  'Forbidden',
  'NotFound',
  'ProviderError',
  'ProviderTimeout',
  'ProviderUnavailable',
  'RateLimited',
]);
const MOST_SHOWN = 10;
const MESSAGE_LENGTH = 200;

/** Reads calendars at once. @throws the error of a read that is not about its calendar alone */
export async function readEach<Result>(
  calendars: readonly Calendar[],
  read: (calendar: Calendar) => Promise<Result>,
): Promise<CalendarReads<Result>> {
  const outcomes = await Promise.all(
    calendars.map((calendar) =>
      read(calendar).then(
        (result) => ({ result }),
        (error: unknown) => {
          if (KalendsError.isInstance(error) && OF_ONE_CALENDAR.has(error.code)) return { calendar, error };
          throw error;
        },
      ),
    ),
  );
  return {
    results: outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : [])),
    unread: outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : [])),
  };
}

/**
 * Returns the lines about calendars that are missing in a list; none where all were read.
 * @throws ToolRefusal naming the calendars when none could be read
 */
export function unreadNotes({ results, unread }: CalendarReads<unknown>): readonly string[] {
  if (unread.length === 0) return [];
  if (results.length === 0) throw unreadRefusal(unread);
  return ['NOT READ, so that their events are missing here:', ...namedCalendars(unread)];
}

/** Returns the refusal of an answer that would be wrong without the calendars that could not be read. */
export function unreadRefusal(unread: readonly UnreadCalendar[]): ToolRefusal {
  const waitMs = Math.max(...unread.map(({ error }) => error.retryAfterMs ?? 0));
  return new ToolRefusal(
    [
      'No answer: these calendars could not be read.',
      ...namedCalendars(unread),
      `Wait${waitMs === 0 ? '' : ` ${Math.ceil(waitMs / 1_000)} seconds`}, then repeat the call. If it fails again, name the other calendars in calendarIds, and tell the person which ones are left out.`,
      DATA_NOTE,
    ].join('\n'),
  );
}

function namedCalendars(unread: readonly UnreadCalendar[]): readonly string[] {
  const others = unread.length - MOST_SHOWN;
  return [
    ...unread
      .slice(0, MOST_SHOWN)
      .flatMap(({ calendar, error }) => [
        `  ${quotedName(calendar.name)} (${error.code}: ${quotedStart(error.message, MESSAGE_LENGTH)})`,
        `    calendarId: ${quoted(calendar.id)}`,
      ]),
    ...(others > 0 ? [`  and ${others} more`] : []),
  ];
}
