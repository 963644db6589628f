import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';
import { readDeltaRound, type TouchedObjects, walkDeltaRound } from './delta-round.ts';
import type { ChangeFeed, FeedRefusal, SyncToken } from './sync-token.ts';

const DAY_MS = 86_400_000;

/** Failures in a row after which a feed counts as refused. A single outage is waited out. */
const MOST_FAILURES = 3;

/** First wait after an outage of the feed; it doubles up to a day. */
const FIRST_WAIT_MS = 300_000;

/** Access to the change feed of one calendar. */
export interface FeedAccess {
  readonly graph: GraphClient;
  readonly settings: MicrosoftSettings;
  readonly session: ProviderSession;
  readonly calendarId: string;
  /** Pulls of the calendar that have failed in a row before this one. */
  readonly failures: number;
}

/** State of the feed after a pull: begun or continued, or refused. */
export type FeedState = Pick<SyncToken, 'feed' | 'refusal'>;

/** Begins a feed from now on. Its first round, which repeats the inventory, is dropped. */
export async function beginFeed(access: FeedAccess, before: FeedRefusal | null = null): Promise<FeedState> {
  const { settings } = access;
  const startedAt = settings.clock.now();
  const window = { from: startedAt - settings.window.pastMs, to: startedAt + settings.window.futureMs };
  return unlessRefused(access, before, { feed: null }, async () => {
    const link = await firstRound(access, firstRequest(access, window));
    return { feed: { link, window, startedAt }, refusal: null };
  });
}

/** Reads a first round to its end. A token that Graph loses on the way is none of ours: a full pull would begin again just so. */
async function firstRound(
  { graph, session, settings }: FeedAccess,
  start: ReturnType<typeof firstRequest>,
): Promise<string> {
  try {
    return await walkDeltaRound(graph, session, start, settings.limits.pageSize, () => {});
  } catch (error) {
    if (!(ProviderError.isInstance(error) && error.reason === 'sync-token-expired')) throw error;
    throw new ProviderError('malformed', 'Graph lost the token of a round that had just begun', { cause: error });
  }
}

/**
 * Reads what the feed of a token touched: nothing while it is refused, or when it is begun anew after a refusal. The caller
 * lists recent changes beside it; removals while no feed reports them are left to reconciliation.
 * @throws ProviderError sync-token-expired
 */
export async function readFeed(
  access: FeedAccess,
  { feed, refusal }: FeedState,
): Promise<{ readonly touched: TouchedObjects | undefined; readonly state: FeedState }> {
  const { graph, settings, session } = access;
  if (refusal !== null && settings.clock.now() < refusal.retryAt)
    return { touched: undefined, state: { feed, refusal } };
  if (feed === null || isRunningOut(settings, feed)) {
    return { touched: undefined, state: await beginFeed(access, refusal) };
  }
  let touched: TouchedObjects | undefined;
  const state = await unlessRefused(access, refusal, { feed }, async () => {
    const round = await readDeltaRound(graph, session, { path: feed.link }, settings.limits.pageSize);
    touched = round;
    return { feed: { ...feed, link: round.link }, refusal: null };
  });
  return { touched, state };
}

/** Returns true when a feed nears the end of its window, which is frozen in its link. */
export function isRunningOut({ clock, window }: MicrosoftSettings, feed: ChangeFeed): boolean {
  return clock.now() - feed.startedAt >= Math.min(91 * DAY_MS, window.futureMs / 2);
}

function firstRequest(
  { calendarId }: FeedAccess,
  { from, to }: ChangeFeed['window'],
): Pick<GraphRequest, 'path' | 'query'> {
  return {
    // The only feed that Microsoft documents for v1.0.
    path: `me/calendars/${encodeURIComponent(calendarId)}/calendarView/delta`,
    query: { startDateTime: new Date(from).toISOString(), endDateTime: new Date(to).toISOString() },
  };
}

/**
 * Graph refuses the feed of some calendars for good: delegated rooms 403 (microsoft-graph-docs#3997), endless series 504
 * (#6499), others 503 (#9912). The lists that follow fail too where the calendar or the service itself is at fault.
 */
async function unlessRefused(
  { settings, session, calendarId, failures }: FeedAccess,
  before: FeedRefusal | null,
  kept: Pick<FeedState, 'feed'>,
  read: () => Promise<FeedState>,
): Promise<FeedState> {
  try {
    return await read();
  } catch (error) {
    if (session.signal?.aborted || !isFailureOfFeed(error)) throw error;
    // A feed that was refused before gets no further chances.
    if (!isPermanent(error) && before === null && failures + 1 < MOST_FAILURES) throw error;
    const waitMs = Math.min(DAY_MS, isPermanent(error) ? DAY_MS : 2 * (before?.waitMs ?? FIRST_WAIT_MS / 2));
    const { status, reason } = error;
    settings.logger?.warn('the change feed of a calendar fails; its events are listed', { calendarId, status, reason });
    // A link that is refused again after a day is begun anew: the link may be at fault, and not the feed.
    const { feed } = isPermanent(error) && before !== null ? { feed: null } : kept;
    return { feed, refusal: { retryAt: settings.clock.now() + waitMs, waitMs } };
  }
}

const PERMANENT = ['invalid', 'forbidden', 'not-found', 'unsupported', 'conflict', 'precondition-failed'];

const isPermanent = ({ reason }: ProviderError): boolean => PERMANENT.includes(reason);

/** Tells whether Graph itself failed to answer the feed. A connection that broke says nothing about it. */
function isFailureOfFeed(error: unknown): error is ProviderError {
  if (!ProviderError.isInstance(error)) return false;
  if (error.reason === 'unavailable') return error.status !== undefined;
  return isPermanent(error) || error.reason === 'timeout' || error.reason === 'malformed';
}
