import {
  type CallLimits,
  readTransportOptions,
  type TransportOptions,
  type TransportSettings,
} from '@kalends/provider-transport';
import { withoutTrailing } from 'kalends/ports';
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

/** Fills in the defaults. @throws RangeError for a window that Graph would refuse or an impossible bound */
export function readOptions(options: MicrosoftOptions): MicrosoftSettings {
  const window = {
    pastMs: options.window?.pastMs ?? 365 * DAY_MS,
    futureMs: options.window?.futureMs ?? 730 * DAY_MS,
  };
  if (!(window.pastMs >= 0 && window.futureMs >= DAY_MS && window.pastMs + window.futureMs <= LONGEST_WINDOW_MS)) {
    throw new RangeError('window: must reach at least a day ahead and cover at most 1825 days');
  }
  return {
    ...readTransportOptions('Microsoft', options, DEFAULT_LIMITS),
    graphUrl: rootOf('graphUrl', options.graphUrl ?? PUBLIC_ENDPOINTS.graphUrl),
    loginUrl: rootOf('loginUrl', options.loginUrl ?? PUBLIC_ENDPOINTS.loginUrl),
    tenant: options.tenant ?? 'common',
    scopes: options.scopes ?? DEFAULT_SCOPES,
    window,
  };
}

function rootOf(option: string, url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new RangeError(`${option}: must be an http or https URL`);
  return withoutTrailing(url, '/');
}
