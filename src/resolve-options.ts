import { invalid } from './errors.ts';
import type { MessageHandler } from './message-handler.ts';
import { checkOptionNames } from './option-names.ts';
import type { CallBudget, EngineOptions } from './options.ts';
import {
  type Clock,
  type HostCheck,
  type Keyring,
  type Logger,
  NO_TELEMETRY,
  type Provider,
  type Random,
  type Storage,
  type Telemetry,
  withoutTrailing,
} from './ports/index.ts';
import { resolveSyncSettings, type SyncSettings } from './pull/index.ts';
import {
  checkProcessPorts,
  createLocalKeyring,
  hasFunctions,
  type Keyrings,
  parseSecrets,
  type Secrets,
  steadyLogger,
  systemClock,
  systemRandom,
} from './runtime/index.ts';

const DEFAULT_TIMEOUT_MS = 15_000;
const DAY_MS = 86_400_000;
const AUDIT_KEPT_DAYS = 400;
const ACCOUNT_MESSAGES_KEPT_DAYS = 29;
const LONGEST_DURATION_MS = 366 * 86_400_000;
const CACHED_DATA_KEYS = 10_000;
const MOST_CACHED_DATA_KEYS = 1_000_000;

/** Validated engine options with defaults applied. */
export interface ResolvedOptions {
  readonly storage: Storage;
  readonly providers: Readonly<Record<string, Provider>>;
  readonly secrets: Secrets;
  readonly lostKeyIds: readonly string[];
  /** The first wraps. The local one is always among them. */
  readonly keyrings: Keyrings;
  readonly cachedDataKeys: number;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly environment: string;
  readonly allowedNetworks: readonly string[];
  readonly timeoutMs: number;
  readonly onMessage: MessageHandler | undefined;
  readonly sync: SyncSettings;
  /** By provider type. */
  readonly providerBudgets: Readonly<Record<string, CallBudget>>;
  /** How long entries of the audit log are kept, ms. */
  readonly auditKeptMs: number;
  /** How long messages about accounts are kept, ms. */
  readonly accountMessagesKeptMs: number;
  readonly hostChecks: readonly HostCheck[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly measurements: boolean;
}

/** Validates the options and applies the defaults. @throws KalendsError InvalidRequest naming the option and its rule */
export function resolveOptions(options: EngineOptions): ResolvedOptions {
  checkOptionNames(options);
  checkStorage(options.storage);
  checkProcessPorts(options);
  checkLists(options);
  const { webhooks = {}, sync = {} } = options;
  const { pushForReads, ...durations } = sync;
  checkDurations(durations, 'sync');
  if (pushForReads !== undefined && typeof pushForReads !== 'boolean') {
    throw invalid('sync.pushForReads', 'must be true or false');
  }
  if (options.measurements !== undefined && typeof options.measurements !== 'boolean') {
    throw invalid('measurements', 'must be true or false');
  }
  checkDurations({ timeoutMs: webhooks.timeoutMs }, 'webhooks');
  const providers = checkProviders(options.providers);
  const secrets = parseSecrets(options.secret, options.previousSecrets);
  const random = options.random ?? systemRandom;
  return {
    storage: options.storage,
    providers,
    secrets,
    lostKeyIds: checkKeyIds(options.lostKeyIds ?? []),
    keyrings: orderKeyrings(options, createLocalKeyring(secrets, random)),
    cachedDataKeys: checkCachedDataKeys(options.cachedDataKeys ?? CACHED_DATA_KEYS),
    publicUrl: options.publicUrl === undefined ? undefined : checkPublicUrl(options.publicUrl),
    environment: checkEnvironment(options.environment ?? 'live'),
    allowedNetworks: webhooks.allowedNetworks ?? [],
    timeoutMs: webhooks.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    onMessage: checkHandler(options.onMessage),
    sync: resolveSyncSettings(sync),
    providerBudgets: checkBudgets(options),
    auditKeptMs: checkDays('audit.keepDays', options.audit?.keepDays ?? AUDIT_KEPT_DAYS, 36_525) * DAY_MS,
    accountMessagesKeptMs:
      checkDays(
        'erasure.keepMessagesDays',
        options.erasure?.keepMessagesDays ?? ACCOUNT_MESSAGES_KEPT_DAYS,
        ACCOUNT_MESSAGES_KEPT_DAYS,
      ) * DAY_MS,
    hostChecks: options.hostChecks ?? [],
    clock: options.clock ?? systemClock,
    random,
    logger: options.logger === undefined ? SILENT : steadyLogger(options.logger),
    telemetry: options.telemetry ?? NO_TELEMETRY,
    measurements: options.measurements ?? true,
  };
}

const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Some of the parts that every storage has: enough to tell one from another object. */
const STORES = ['accounts', 'mirror', 'schedule', 'outbox', 'health', 'commits'];

function checkStorage(storage: Storage | undefined): void {
  if (storage === undefined || storage === null) throw invalid('storage', 'is required');
  const isStorage = hasFunctions(storage, ['open', 'close']) && hasParts(storage, STORES);
  if (!isStorage) throw invalid('storage', 'must be a storage, such as sqlite({ path })');
}

/** Whether a value is an object with all of these objects in it. */
function hasParts(value: unknown, parts: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return parts.every((name) => {
    const part: unknown = value[name as keyof typeof value];
    return typeof part === 'object' && part !== null;
  });
}

/** Checks the options that are lists. Their entries are checked where they are read. */
function checkLists(options: EngineOptions): void {
  const { previousSecrets, lostKeyIds, previousKeyrings, hostChecks, webhooks } = options;
  const lists = { previousSecrets, lostKeyIds, previousKeyrings, hostChecks };
  for (const [name, list] of Object.entries({ ...lists, 'webhooks.allowedNetworks': webhooks?.allowedNetworks })) {
    if (list !== undefined && !Array.isArray(list)) throw invalid(name, 'must be a list');
  }
  hostChecks?.forEach((each, index) => {
    if (hasFunctions(each, ['run'])) return;
    throw invalid(`hostChecks.${index}`, 'must be an object with check, the name of its finding, and the function run');
  });
}

function checkHandler(onMessage: EngineOptions['onMessage']): EngineOptions['onMessage'] {
  if (onMessage === undefined || typeof onMessage === 'function') return onMessage;
  throw invalid('onMessage', 'must be a function');
}

const KEYRING = ['wrap', 'unwrap', 'rewrap', 'check'];

function checkKeyring(name: string, keyring: Keyring | undefined): void {
  if (keyring === undefined) return;
  if (hasFunctions(keyring, KEYRING) && typeof keyring.id === 'string' && Array.isArray(keyring.keyIds)) return;
  throw invalid(name, 'must be a keyring, such as vaultKeyring({ ... })');
}

function orderKeyrings({ keyring, previousKeyrings = [] }: EngineOptions, local: Keyring): Keyrings {
  checkKeyring('keyring', keyring);
  for (const [index, previous] of previousKeyrings.entries()) checkKeyring(`previousKeyrings.${index}`, previous);
  const given = [...(keyring === undefined ? [] : [keyring]), ...previousKeyrings];
  const ids = [local, ...given].flatMap(({ keyIds }) => keyIds);
  const twice = given.find(({ keyIds }) => keyIds.some((keyId) => ids.indexOf(keyId) !== ids.lastIndexOf(keyId)));
  if (twice !== undefined)
    throw invalid('previousKeyrings', `must have each key once, but that of ${twice.id} is there again`);
  return keyring === undefined ? [local, ...previousKeyrings] : [keyring, ...previousKeyrings, local];
}

function checkCachedDataKeys(count: number): number {
  if (Number.isInteger(count) && count >= 0 && count <= MOST_CACHED_DATA_KEYS) return count;
  throw invalid('cachedDataKeys', `must be a whole number from 0 to ${MOST_CACHED_DATA_KEYS}`);
}

/** Parts that every provider has. */
const PROVIDER_PARTS = [
  'authorization',
  ...['pull', 'exists', 'create', 'update', 'delete'].map((name) => `calendars.${name}`),
  ...['pull', 'get', 'listAttachments', 'getDescription', 'create', 'findCreated', 'update', 'delete', 'respond'].map(
    (name) => `events.${name}`,
  ),
  ...['open', 'renew', 'close', 'receive'].map((name) => `push.${name}`),
  'capabilities',
];

/** Returns a part of an object by its path; null and undefined have none. */
function partAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name] ?? undefined, value);
}

function checkProviders(providers: EngineOptions['providers'] | undefined): EngineOptions['providers'] {
  const types = Object.keys(providers ?? {});
  if (providers === undefined || types.length === 0) throw invalid('providers', 'must have at least one provider');
  const wrong = types.find((type) => !/^[A-Z][A-Z0-9_]{0,63}$/.test(type));
  if (wrong !== undefined) {
    throw invalid(`providers.${wrong}`, 'must be named by upper-case letters, digits and _, beginning with a letter');
  }
  for (const type of types) {
    const missing = PROVIDER_PARTS.find((path) => partAt(providers[type], path) === undefined);
    if (missing !== undefined)
      throw invalid(`providers.${type}`, `must be a provider, such as google(), but has no ${missing}`);
  }
  return providers;
}

function checkPublicUrl(text: string): string {
  const rule = 'must be an absolute http or https URL without user-info, query and fragment';
  if (!URL.canParse(text)) throw invalid('publicUrl', rule);
  const url = new URL(text);
  const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!/^https?:$/.test(url.protocol) || !isPlain) throw invalid('publicUrl', rule);
  return withoutTrailing(url.href, '/');
}

function checkKeyIds(ids: readonly string[]): readonly string[] {
  const wrong = ids.findIndex((id) => !/^[\w-]{8}$/.test(id));
  if (wrong < 0) return ids;
  throw invalid(`lostKeyIds.${wrong}`, 'must be a key id as the log names it: 8 letters, digits, _ and -');
}

function checkEnvironment(environment: string): string {
  if (/^[a-z0-9]{1,16}$/.test(environment)) return environment;
  throw invalid('environment', 'must be 1 to 16 lower-case letters and digits');
}

function checkDays(name: string, days: number, most: number): number {
  if (Number.isInteger(days) && days >= 1 && days <= most) return days;
  throw invalid(name, `must be a whole number of days, from 1 to ${most}`);
}

function checkBudgets({ providers, providerBudgets = {} }: EngineOptions): ResolvedOptions['providerBudgets'] {
  if (typeof providerBudgets !== 'object' || providerBudgets === null) {
    throw invalid('providerBudgets', 'must be an object of budgets by provider');
  }
  const budgets = Object.entries(providerBudgets).map(([type, given]) => {
    const name = `providerBudgets.${type}`;
    if (!(type in providers)) throw invalid(name, 'must be one of the providers');
    if (typeof given !== 'number' && (typeof given !== 'object' || given === null)) {
      throw invalid(name, 'must be a number of calls a minute, or an object with perMinute, perDay or both');
    }
    const budget = typeof given === 'number' ? { perMinute: given } : given;
    for (const [period, calls] of Object.entries(budget)) {
      const field = typeof given === 'number' ? name : `${name}.${period}`;
      if (period !== 'perMinute' && period !== 'perDay') throw invalid(field, 'must be perMinute or perDay');
      if (calls !== undefined && (!Number.isInteger(calls) || calls < 1)) {
        throw invalid(field, `must be a whole number of calls a ${period === 'perDay' ? 'day' : 'minute'}, from 1 on`);
      }
    }
    return [type, budget] as const;
  });
  return Object.fromEntries(budgets);
}

function checkDurations(durations: Readonly<Record<string, number | undefined>>, group: string): void {
  for (const [name, ms] of Object.entries(durations)) {
    if (ms === undefined) continue;
    if (!Number.isFinite(ms) || ms <= 0 || ms > LONGEST_DURATION_MS) {
      throw invalid(`${group}.${name}`, `must be more than 0 and at most ${LONGEST_DURATION_MS} milliseconds`);
    }
  }
}
