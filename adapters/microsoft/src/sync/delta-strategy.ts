import type { DeltaStrategyName, MicrosoftSettings } from '../options.ts';
import type { GraphRequest } from '../transport/graph-client.ts';
import type { SyncToken } from './sync-token.ts';

const DAY_MS = 86_400_000;

/** The range that a delta feed covers, epoch ms. */
type DeltaWindow = SyncToken['window'];

/**
 * A feed of changes. Both kinds reliably list the series and single events that were touched, and nothing more: their state is
 * read afterwards.
 */
export interface DeltaStrategy {
  readonly name: DeltaStrategyName;
  /** Returns the window of a feed that begins now. */
  windowAt(nowMs: number): DeltaWindow;
  /** Returns the request that begins a feed over a window. */
  begin(calendarId: string, window: DeltaWindow): Pick<GraphRequest, 'path' | 'query'>;
  /** Returns true when the feed of a token nears the end of its window, so that a new one is due. */
  needsRolling(token: SyncToken, nowMs: number): boolean;
}

/** `calendarView/delta`, the only feed that Microsoft documents for v1.0. Its window is frozen in the token. */
function calendarViewStrategy(window: MicrosoftSettings['window']): DeltaStrategy {
  const rollAfterMs = Math.min(91 * DAY_MS, window.futureMs / 2);
  return {
    name: 'calendar-view',
    windowAt: (nowMs) => ({ from: nowMs - window.pastMs, to: nowMs + window.futureMs }),
    begin: (calendarId, { from, to }) => ({
      path: `me/calendars/${encodeURIComponent(calendarId)}/calendarView/delta`,
      query: { startDateTime: new Date(from).toISOString(), endDateTime: new Date(to ?? from).toISOString() },
    }),
    needsRolling: (token, nowMs) => nowMs - token.startedAt >= rollAfterMs,
  };
}

/** `events/delta`: no end of the window, so it is never rolled. Microsoft documents it for its beta. */
function eventsStrategy(window: MicrosoftSettings['window']): DeltaStrategy {
  return {
    name: 'events',
    windowAt: (nowMs) => ({ from: nowMs - window.pastMs, to: null }),
    begin: (calendarId, { from }) => ({
      path: `me/calendars/${encodeURIComponent(calendarId)}/events/delta`,
      query: { startDateTime: new Date(from).toISOString() },
    }),
    needsRolling: () => false,
  };
}

/** Returns the strategy that the options name. */
export function createDeltaStrategy(settings: Pick<MicrosoftSettings, 'deltaStrategy' | 'window'>): DeltaStrategy {
  return settings.deltaStrategy === 'events' ? eventsStrategy(settings.window) : calendarViewStrategy(settings.window);
}
