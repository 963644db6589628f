import {
  type CallLimits,
  checkTransportNames,
  readRoot,
  readScopes,
  readTransportOptions,
  readUrl,
  type TransportOptions,
  type TransportSettings,
  wrongOption,
} from '@kalends/provider-transport';
import { checkNames } from 'kalends/runtime';
import { GOOGLE_ENDPOINTS, type GoogleOAuthEndpoints } from './endpoints.ts';

/** Guests who get mail from Google about a change. */
export type SendUpdates = 'all' | 'externalOnly' | 'none';

/** Bounds of the calls to Google, per mailbox and process. */
export interface GoogleLimits extends CallLimits {
  /** Calls in flight at the same time. @default 8 */
  readonly concurrency: number;
  /** Calls begun in any `intervalMs`. @default 600, which is Google's limit */
  readonly callsPerInterval: number;
  /** @default 60_000 */
  readonly intervalMs: number;
  /** Events of one page of the feed, at most 2,500. @default 2_500 */
  readonly pageSize: number;
  /** Waits between reads of a meeting that Google is still creating. @default [250, 500, 1_000, 2_000] */
  readonly conferenceWaitsMs: readonly number[];
}

/** Options of the Google provider; every one has a default. */
export interface GoogleOptions extends TransportOptions<GoogleLimits> {
  /** Root of the Calendar API, without `/calendar/v3`. @default "https://www.googleapis.com" */
  readonly baseUrl?: string;
  /** @default Google's own */
  readonly oauth?: Partial<GoogleOAuthEndpoints>;
  /** Scopes to ask for. @default openid, email and the whole calendar */
  readonly scopes?: readonly string[];
  /** Recipients of Google's mail about a change that guests see, where the write does not name them. @default "all" */
  readonly sendUpdates?: SendUpdates;
}

/** The options with every default filled in. */
export interface GoogleSettings extends TransportSettings<GoogleLimits> {
  /** Root of the Calendar API with its version. */
  readonly apiUrl: string;
  readonly oauth: GoogleOAuthEndpoints;
  readonly scopes: readonly string[];
  readonly sendUpdates: SendUpdates;
}

/** Scopes that `google` asks for by default. */
export const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', 'https://www.googleapis.com/auth/calendar'];

const DEFAULT_LIMITS = {
  concurrency: 8,
  callsPerInterval: 600,
  intervalMs: 60_000,
  pageSize: 2500,
  conferenceWaitsMs: [250, 500, 1000, 2000],
};

const NAMES = ['baseUrl', 'oauth', 'scopes', 'sendUpdates'] satisfies (keyof GoogleOptions)[];
const RECIPIENTS: readonly string[] = ['all', 'externalOnly', 'none'] satisfies SendUpdates[];

/** Checks the options and fills in the defaults. @throws KalendsError InvalidRequest naming the option and its rule */
export function readOptions(options: GoogleOptions): GoogleSettings {
  checkTransportNames(options, NAMES);
  const { baseUrl = GOOGLE_ENDPOINTS.baseUrl, oauth, scopes = DEFAULT_SCOPES, sendUpdates = 'all' } = options;
  if (!RECIPIENTS.includes(sendUpdates)) throw wrongOption('sendUpdates', `must be one of ${RECIPIENTS.join(', ')}`);
  return {
    ...readTransportOptions('Google', options, DEFAULT_LIMITS),
    apiUrl: `${readRoot('baseUrl', baseUrl)}/calendar/v3`,
    oauth: readOAuth(oauth),
    scopes: readScopes(scopes),
    sendUpdates,
  };
}

function readOAuth(given: GoogleOptions['oauth'] = {}): GoogleOAuthEndpoints {
  if (typeof given !== 'object' || given === null) throw wrongOption('oauth', 'must be an object of addresses');
  checkNames(given, Object.keys(GOOGLE_ENDPOINTS.oauth), 'oauth.');
  const set = Object.entries(given).filter(([, url]) => url !== undefined);
  for (const [name, url] of set) readUrl(`oauth.${name}`, url);
  return { ...GOOGLE_ENDPOINTS.oauth, ...Object.fromEntries(set) };
}
