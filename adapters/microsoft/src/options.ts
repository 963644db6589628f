import {
  type CallLimits,
  checkTransportNames,
  readRoot,
  readScopes,
  readTransportOptions,
  type TransportOptions,
  type TransportSettings,
  wrongOption,
} from '@kalends/provider-transport';
import { checkNames } from 'kalends/runtime';
import { PUBLIC_ENDPOINTS } from './endpoints.ts';

const DAY_MS = 86_400_000;

/** Bounds of the calls to Graph, per mailbox and process. */
export interface MicrosoftLimits extends CallLimits {
  /** Calls in flight at the same time. @default 4, as Graph allows */
  readonly concurrency: number;
  /** Calls begun in any `intervalMs`. @default 10_000, as Graph allows */
  readonly callsPerInterval: number;
  /** @default 600_000 */
  readonly intervalMs: number;
  /** Entities of one page. @default 250 */
  readonly pageSize: number;
  /**
   * Waits between reads of a meeting that is still without its link; a later sync brings the link then.
   * @default [250, 500, 1_000, 2_000]
   */
  readonly conferenceWaitsMs: readonly number[];
}

/** Options of the Microsoft provider; every one has a default that suits the worldwide cloud. */
export interface MicrosoftOptions extends TransportOptions<MicrosoftLimits> {
  /** @default 'https://graph.microsoft.com/v1.0' */
  readonly graphUrl?: string;
  /** @default 'https://login.microsoftonline.com' */
  readonly loginUrl?: string;
  /** `common`, `organizations`, `consumers` or a tenant id. The client setting `tenant` wins. @default 'common' */
  readonly tenant?: string;
  /** Delegated permissions asked for at sign-in. */
  readonly scopes?: readonly string[];
  /** Range that the change feed covers. @default a year back, two ahead */
  readonly window?: { readonly pastMs?: number; readonly futureMs?: number };
}

/** The options with every default filled in. */
export interface MicrosoftSettings extends TransportSettings<MicrosoftLimits> {
  readonly graphUrl: string;
  readonly loginUrl: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly window: { readonly pastMs: number; readonly futureMs: number };
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
  callsPerInterval: 10_000,
  intervalMs: 600_000,
  pageSize: 250,
  conferenceWaitsMs: [250, 500, 1000, 2000],
};

/** The longest range that calendarView answers. */
const LONGEST_WINDOW_MS = 1825 * DAY_MS;

const NAMES = ['graphUrl', 'loginUrl', 'tenant', 'scopes', 'window'] satisfies (keyof MicrosoftOptions)[];

/** Checks the options and fills in the defaults. @throws KalendsError InvalidRequest naming the option and its rule */
export function readOptions(options: MicrosoftOptions): MicrosoftSettings {
  checkTransportNames(options, NAMES);
  const { graphUrl, loginUrl, tenant = 'common', scopes = DEFAULT_SCOPES } = options;
  if (typeof tenant !== 'string' || !/^[\w.-]+$/.test(tenant)) {
    throw wrongOption('tenant', 'must be common, organizations, consumers, or the id or domain of a tenant');
  }
  return {
    ...readTransportOptions('Microsoft', options, DEFAULT_LIMITS),
    graphUrl: readRoot('graphUrl', graphUrl ?? PUBLIC_ENDPOINTS.graphUrl),
    loginUrl: readRoot('loginUrl', loginUrl ?? PUBLIC_ENDPOINTS.loginUrl),
    tenant,
    scopes: readScopes(scopes),
    window: readWindow(options.window),
  };
}

/** Returns the range of the change feed. @throws KalendsError InvalidRequest for one that Graph would refuse */
function readWindow(given: MicrosoftOptions['window'] = {}): MicrosoftSettings['window'] {
  if (typeof given !== 'object' || given === null) throw wrongOption('window', 'must be an object of options');
  checkNames(given, ['pastMs', 'futureMs'], 'window.');
  const { pastMs = 365 * DAY_MS, futureMs = 730 * DAY_MS } = given;
  const isNumbers = typeof pastMs === 'number' && typeof futureMs === 'number';
  if (isNumbers && pastMs >= 0 && futureMs >= DAY_MS && pastMs + futureMs <= LONGEST_WINDOW_MS) {
    return { pastMs, futureMs };
  }
  throw wrongOption('window', 'must reach at least a day ahead and cover at most 1825 days');
}
