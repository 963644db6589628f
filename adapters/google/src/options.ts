import {
  type CallLimits,
  readTransportOptions,
  type TransportOptions,
  type TransportSettings,
} from '@kalends/provider-transport';
import { withoutTrailing } from 'kalends/ports';
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

/** Fills in the defaults. */
export function readOptions(options: GoogleOptions): GoogleSettings {
  return {
    ...readTransportOptions('Google', options, DEFAULT_LIMITS),
    apiUrl: `${withoutTrailing(options.baseUrl ?? GOOGLE_ENDPOINTS.baseUrl, '/')}/calendar/v3`,
    oauth: { ...GOOGLE_ENDPOINTS.oauth, ...options.oauth },
    scopes: options.scopes ?? DEFAULT_SCOPES,
    sendUpdates: options.sendUpdates ?? 'all',
  };
}
