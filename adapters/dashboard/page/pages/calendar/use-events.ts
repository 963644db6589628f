import type { CalendarEvent } from 'kalends/model';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ProblemError } from '../../api/problem.ts';
import { type Call, request } from '../../api/request.ts';
import { addDays, instantText, wallMsOf } from '../../parts/wall-time.ts';
import type { Period } from './period.ts';
import { byStart, isWithin, type ShownEvent, shownEvent } from './shown-event.ts';

/** A list selects what lies within its window: what begins before the period, or ends after it, needs a wider one. */
const MARGIN_DAYS = 31;
const PAGE = 1_000;
const SYNCING_AGAIN_MS = 1_500;

interface EventPage {
  readonly data: readonly CalendarEvent[];
  readonly nextPageToken?: string;
}

/**
 * Returns the call that lists a calendar's events around a period. Each event comes in its own zone, in which it is written again:
 * a series keeps its wall-clock time there.
 */
export function listCall(accountId: string, calendarId: string, period: Period, zone: string): Call {
  return {
    path: `/v1/events/${encodeURIComponent(accountId)}/${encodeURIComponent(calendarId)}`,
    query: {
      expandRecurrences: true,
      isCancelled: true,
      orderBy: 'startDateTime',
      startDateTime: instantText(zone, wallMsOf(addDays(period.start, -MARGIN_DAYS))),
      endDateTime: instantText(zone, wallMsOf(addDays(period.end, MARGIN_DAYS))),
      limit: PAGE,
    },
  };
}

async function readAll(call: Call, signal: AbortSignal): Promise<readonly CalendarEvent[]> {
  const events: CalendarEvent[] = [];
  let pageToken: string | undefined;
  do {
    const query = pageToken === undefined ? call.query : { pageToken };
    const page: EventPage = await request({ ...call, query }, signal);
    events.push(...page.data);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return events;
}

export interface ShownEvents {
  readonly events: readonly ShownEvent[];
  readonly error: ProblemError | undefined;
  readonly isLoading: boolean;
  /** The first sync of a calendar is running: events follow by themselves. */
  readonly isSyncing: boolean;
  /** Whether events have been read once. */
  readonly isRead: boolean;
  reload(): Promise<void>;
}

/** Reads the events of calendars in a period, and keeps those of the period before until the others are there. */
export function useEvents(
  accountId: string | undefined,
  calendarIds: readonly string[],
  period: Period,
  zone: string,
): ShownEvents {
  const [state, setState] = useState<{ read?: readonly (readonly [string, CalendarEvent])[]; error?: ProblemError }>(
    {},
  );
  const [isLoading, setLoading] = useState(false);
  const latest = useRef<AbortController>(undefined);
  const key = [accountId, ...calendarIds, period.start, period.end, zone].join('\n');

  const reload = useCallback(async () => {
    latest.current?.abort();
    if (accountId === undefined) return;
    const reading = new AbortController();
    latest.current = reading;
    setLoading(true);
    try {
      const read = await Promise.all(
        calendarIds.map(async (id) => {
          const events = await readAll(listCall(accountId, id, period, zone), reading.signal);
          return events.map((event) => [id, event] as const);
        }),
      );
      if (!reading.signal.aborted) setState({ read: read.flat() });
    } catch (error) {
      if (reading.signal.aborted) return;
      if (!(error instanceof ProblemError)) throw error;
      setState((before) => ({ ...before, error }));
    } finally {
      if (latest.current === reading) setLoading(false);
    }
  }, [key]);

  useEffect(() => {
    void reload();
    return () => latest.current?.abort();
  }, [reload]);
  // Another account's events must not stay while its own are read.
  useEffect(() => setState({}), [accountId]);

  const isSyncing = state.error?.code === 'CalendarSyncing';
  useEffect(() => {
    if (!isSyncing || isLoading) return;
    const timer = setTimeout(reload, SYNCING_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isSyncing, isLoading, reload]);

  // The same list while nothing has changed: the grid draws another one anew, and what had the focus loses it.
  const events = useMemo(
    () =>
      (state.read ?? [])
        .filter(([calendarId]) => calendarIds.includes(calendarId))
        .map(([calendarId, event]) => shownEvent(calendarId, event, zone))
        .filter((shown) => isWithin(shown, period))
        .toSorted(byStart),
    [state.read, key],
  );
  return {
    events,
    error: isSyncing ? undefined : state.error,
    isLoading,
    isSyncing,
    isRead: state.read !== undefined,
    reload,
  };
}
