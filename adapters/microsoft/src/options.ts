import { type Clock, type Fetch, type Logger, type Random, withoutTrailing } from 'kalends/ports';
import { systemClock, systemRandom } from 'kalends/runtime';
import { PUBLIC_ENDPOINTS } from './endpoints.ts';

const DAY_MS = 86_400_000;

/** Which feed of Graph tells what changed. */
export type DeltaStrategyName = 'calendar-view' | 'events';

/** Options of the Microsoft provider; every one has a default that suits the worldwide cloud. */
export interface MicrosoftOptions {
  /** @default 'https://graph.microsoft.com/v1.0' */
  readonly graphUrl?: string;
  /** @default 'https://login.microsoftonline.com' */
  readonly loginUrl?: string;
  /** `common`, `organizations`, `consumers` or a tenant id. The client setting `tenant` wins. @default 'common' */
  readonly tenant?: string;
  /** Delegated permissions asked for at sign-in. */
  readonly scopes?: readonly string[];
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  /** How far the change feed looks back and ahead. @default a year back, two ahead */
  readonly window?: { readonly pastMs?: number; readonly futureMs?: number };
  /** `events` uses the feed without end date, which Microsoft documents for its beta only. @default 'calendar-view' */
  readonly deltaStrategy?: DeltaStrategyName;
  readonly limits?: Partial<MicrosoftLimits>;
  readonly retry?: Partial<MicrosoftRetry>;
}

/** Bounds of what is asked of Graph on behalf of one mailbox. */
export interface MicrosoftLimits {
  /** Requests under way at a time. @default 4, as Graph allows */
  readonly concurrency: number;
  /**
   * Requests begun in any ten minutes of real time.
   * @default 10000, as Graph allows; Infinity with a clock of one's own, whose time may pass faster
   */
  readonly requestsPerTenMinutes: number;
  /** Entities asked for in one page. @default 250 */
  readonly pageSize: number;
  /** How long one request may take. @default 30000 */
  readonly timeoutMs: number;
  /** Waits between looks at a meeting that is still without its link, after which it is left to a later sync. */
  readonly conferenceWaitsMs: readonly number[];
}

/** How often and how patiently a call is repeated. */
export interface MicrosoftRetry {
  /** Attempts in all. @default 4 */
  readonly attempts: number;
  /** Wait before the second attempt, doubled from then on and jittered. @default 500 */
  readonly baseMs: number;
  /** A longer wait than this is not waited for: the call rejects and says how long. @default 10000 */
  readonly maxWaitMs: number;
}

/** The options with every default filled in. */
export interface MicrosoftSettings {
  readonly graphUrl: string;
  readonly loginUrl: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
  readonly window: { readonly pastMs: number; readonly futureMs: number };
  readonly deltaStrategy: DeltaStrategyName;
  readonly limits: MicrosoftLimits;
  readonly retry: MicrosoftRetry;
}

/** Scopes asked for by default: identity, refresh tokens, the user's and shared calendars, the mailbox's zone. */
export const DEFAULT_SCOPES: readonly string[] = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'User.Read',
  'Calendars.ReadWrite',
  'Calendars.ReadWrite.Shared',
  'MailboxSettings.Read',
];

const DEFAULT_LIMITS = {
  concurrency: 4,
  pageSize: 250,
  timeoutMs: 30_000,
  conferenceWaitsMs: [250, 500, 1000, 2000],
} as const;

/** The longest range that calendarView answers. */
const LONGEST_WINDOW_MS = 1825 * DAY_MS;

/** Fills in the defaults. @throws RangeError for a window that Graph would refuse or an impossible bound */
export function readOptions(options: MicrosoftOptions): MicrosoftSettings {
  const window = {
    pastMs: options.window?.pastMs ?? 365 * DAY_MS,
    futureMs: options.window?.futureMs ?? 730 * DAY_MS,
  };
  if (!(window.pastMs >= 0 && window.futureMs >= DAY_MS && window.pastMs + window.futureMs <= LONGEST_WINDOW_MS)) {
    throw new RangeError('window: must reach at least a day ahead and cover at most 1825 days');
  }
  const clock = options.clock ?? systemClock;
  const requestsPerTenMinutes = clock === systemClock ? 10_000 : Number.POSITIVE_INFINITY;
  return {
    graphUrl: rootOf('graphUrl', options.graphUrl ?? PUBLIC_ENDPOINTS.graphUrl),
    loginUrl: rootOf('loginUrl', options.loginUrl ?? PUBLIC_ENDPOINTS.loginUrl),
    tenant: options.tenant ?? 'common',
    scopes: options.scopes ?? DEFAULT_SCOPES,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    clock,
    random: options.random ?? systemRandom,
    logger: options.logger,
    window,
    deltaStrategy: options.deltaStrategy ?? 'calendar-view',
    limits: { ...DEFAULT_LIMITS, requestsPerTenMinutes, ...options.limits },
    retry: { attempts: 4, baseMs: 500, maxWaitMs: 10_000, ...options.retry },
  };
}

function rootOf(option: string, url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new RangeError(`${option}: must be an http or https URL`);
  return withoutTrailing(url, '/');
}
