import {
  type CallLimits,
  checkTransportNames,
  readTransportOptions,
  type TransportOptions,
  type TransportSettings,
  wrongOption,
} from '@kalends/provider-transport';
import { guardedFetch } from 'kalends/guarded-fetch';

/** Bounds of the calls to a CalDAV server, per account and process. */
export interface CaldavLimits extends CallLimits {
  /** Calls in flight at the same time. @default 4 */
  readonly concurrency: number;
  /** Calls begun in any `intervalMs`. @default 600 */
  readonly callsPerInterval: number;
  /** @default 60_000 */
  readonly intervalMs: number;
  /** Objects that one request asks for, at most 50. @default 50 */
  readonly objectsPerCall: number;
}

/** Options of the CalDAV provider; every one has a default. */
export interface CaldavOptions extends TransportOptions<CaldavLimits> {
  /**
   * Networks in CIDR form that servers may be in though they are private, also over http. Servers are named by people, so that
   * only public addresses are dialled, over https. Without effect where `fetch` is given. @default none
   */
  readonly allowedNetworks?: readonly string[];
}

/** The options with every default filled in. */
export interface CaldavSettings extends TransportSettings<CaldavLimits> {
  /** The one server of a preset, where discovery starts. */
  readonly serverUrl: string | undefined;
  /** Whether addresses of people are believed: those of a server that people chose are not. */
  readonly vouches: boolean;
}

const DEFAULT_LIMITS = { concurrency: 4, callsPerInterval: 600, intervalMs: 60_000, objectsPerCall: 50 };

/** Server of a preset. */
export interface CaldavPreset {
  /** Its name in errors and log lines. */
  readonly title: string;
  readonly serverUrl: string | undefined;
}

/** Checks the options and fills in the defaults. @throws KalendsError InvalidRequest naming the option and its rule */
export function readOptions(options: CaldavOptions, { title, serverUrl }: CaldavPreset): CaldavSettings {
  checkTransportNames(options, ['allowedNetworks'] satisfies (keyof CaldavOptions)[]);
  const { allowedNetworks = [] } = options;
  if (!Array.isArray(allowedNetworks)) throw wrongOption('allowedNetworks', 'must be a list');
  const guarded = options.fetch ?? guardedFetch({ allowedNetworks });
  return {
    ...readTransportOptions(title, { ...options, fetch: guarded }, DEFAULT_LIMITS),
    serverUrl,
    vouches: serverUrl !== undefined,
  };
}
