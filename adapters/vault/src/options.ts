import {
  type CallLimits,
  type RetryLimits,
  readTransportOptions,
  type TransportSettings,
  wrongOption,
} from '@kalends/provider-transport';
import { type Clock, type Fetch, type Random, withoutTrailing } from 'kalends/ports';
import { checkNames } from 'kalends/runtime';

/** Options of `vaultKeyring`. */
export interface VaultKeyringOptions {
  /** Address of Vault or OpenBao, such as `https://vault.example.com:8200`. */
  readonly address: string;
  /**
   * Token, or a function that returns it. The function is called before each request, so that a token which an agent renews in
   * a file is used at once.
   */
  readonly token: string | (() => string | Promise<string>);
  /** Name of the transit key. */
  readonly key: string;
  /** Path at which the transit secrets engine is mounted. @default "transit" */
  readonly mount?: string;
  /** Namespace of the mount, sent as `X-Vault-Namespace`. @default none */
  readonly namespace?: string;
  /** Longest wait for one answer. @default 3_000 */
  readonly timeoutMs?: number;
  /** Attempts in all of a request that Vault did not answer, or answered by a passing failure. @default 3 */
  readonly attempts?: number;
  /** @default globalThis.fetch */
  readonly fetch?: Fetch;
  /** @default the system clock */
  readonly clock?: Clock;
  /** Varies the waits between attempts. @default node:crypto */
  readonly random?: Random;
}

/** The options, checked, with defaults applied. */
export interface VaultSettings {
  /** Without a trailing slash. */
  readonly address: string;
  readonly token: () => Promise<string>;
  readonly key: string;
  /** Without slashes around it. */
  readonly mount: string;
  readonly namespace: string | undefined;
  readonly transport: TransportSettings;
}

const NAMES: Readonly<Record<keyof VaultKeyringOptions, true>> = {
  address: true,
  token: true,
  key: true,
  mount: true,
  namespace: true,
  timeoutMs: true,
  attempts: true,
  fetch: true,
  clock: true,
  random: true,
};

const DEFAULT_TIMEOUT_MS = 3_000;
const DEFAULT_ATTEMPTS = 3;
/** Longer answers are no answers of the transit engine to one key. */
const MAX_ANSWER_BYTES = 65_536;
/** Short waits: callers of the interface wait too. */
const RETRY: Omit<RetryLimits, 'attempts'> = { baseDelayMs: 100, maxDelayMs: 1_000, maxWaitMs: 1_000 };
const UNPACED: Omit<CallLimits, 'timeoutMs' | 'maxAnswerBytes'> = {
  concurrency: Number.POSITIVE_INFINITY,
  callsPerInterval: Number.POSITIVE_INFINITY,
  intervalMs: 60_000,
};

/** Checks the options and applies the defaults. @throws KalendsError InvalidRequest naming the option and its rule */
export function readOptions(options: VaultKeyringOptions): VaultSettings {
  if (typeof options !== 'object' || options === null) throw wrongOption('options', 'must be an object of options');
  checkNames(options, Object.keys(NAMES));
  const { token, key, namespace, timeoutMs = DEFAULT_TIMEOUT_MS, attempts = DEFAULT_ATTEMPTS } = options;
  const { mount: path = 'transit' } = options;
  const mount = typeof path === 'string' ? path.replace(/^\/|\/$/g, '') : '';
  if (typeof key !== 'string' || !/^\w([\w.-]*\w)?$/.test(key)) {
    throw wrongOption('key', 'must be letters, digits, _, - and ., as Vault names keys');
  }
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(mount)) {
    throw wrongOption('mount', 'must be a path such as transit or secrets/transit');
  }
  if (namespace !== undefined && (typeof namespace !== 'string' || !/^[\x21-\x7e]+$/.test(namespace))) {
    throw wrongOption('namespace', 'must be a path such as team/calendar');
  }
  if (typeof token !== 'function') checkToken(token);
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= 60_000)) {
    throw wrongOption('timeoutMs', 'must be more than 0 and at most 60000');
  }
  if (!(Number.isInteger(attempts) && attempts >= 1 && attempts <= 10)) {
    throw wrongOption('attempts', 'must be a whole number from 1 to 10');
  }
  const limits = { timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES };
  const { fetch, clock, random } = options;
  return {
    address: checkAddress(options.address),
    token: async () => checkToken(typeof token === 'string' ? token : (await token()).trim()),
    key,
    mount,
    namespace,
    transport: readTransportOptions(
      'Vault',
      {
        limits,
        retry: { ...RETRY, attempts },
        ...(fetch === undefined ? {} : { fetch }),
        ...(clock === undefined ? {} : { clock }),
        ...(random === undefined ? {} : { random }),
      },
      UNPACED,
    ),
  };
}

function checkAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return withoutTrailing(url.href, '/');
  throw wrongOption('address', 'must be an absolute http or https URL without user-info, query and fragment');
}

function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw wrongOption('token', 'must be printable ASCII without spaces, and not empty');
}
