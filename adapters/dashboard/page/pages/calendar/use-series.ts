import type { CalendarEvent } from 'kalends/model';
import { useResource } from '../../api/use-resource.ts';

/** Facts of a series that scope questions show. */
export interface SeriesFacts {
  /** Undefined while it is read. */
  readonly master: CalendarEvent | undefined;
  /** Its occurrences in order, as far as they were read. */
  readonly occurrences: readonly CalendarEvent[] | undefined;
  /** Whether there are more. */
  readonly hasMore: boolean;
}

const YEARS_MS = 1_800 * 86_400_000;
const MOST = 250;

export const eventPath = (accountId: string, calendarId: string, eventId: string): string =>
  `/v1/events/${[accountId, calendarId, eventId].map(encodeURIComponent).join('/')}`;

/** Reads a series and its first occurrences; undefined reads nothing. */
export function useSeries(accountId: string, calendarId: string, seriesId: string | undefined): SeriesFacts {
  const path = seriesId === undefined ? undefined : eventPath(accountId, calendarId, seriesId);
  const master = useResource<CalendarEvent>(path === undefined ? undefined : { path }).data;
  const starts = master === undefined ? undefined : Date.parse(`${master.start.dateTime.slice(0, 10)}T00:00:00Z`);
  const page = useResource<{ readonly data: readonly CalendarEvent[]; readonly nextPageToken?: string }>(
    path === undefined || starts === undefined
      ? undefined
      : {
          path: `${path}/occurrences`,
          query: {
            orderBy: 'startDateTime',
            startDateTime: new Date(starts - 2 * 86_400_000).toISOString(),
            endDateTime: new Date(starts + YEARS_MS).toISOString(),
            limit: MOST,
          },
        },
  ).data;
  const isEndless = master?.recurrence?.some((line) => /^RRULE:(?!.*(?:COUNT|UNTIL)=)/i.test(line)) ?? false;
  return { master, occurrences: page?.data, hasMore: isEndless || page?.nextPageToken !== undefined };
}
