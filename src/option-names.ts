import { invalid } from './errors.ts';
import type { EngineOptions } from './options.ts';
import { checkNames } from './runtime/index.ts';

type Names<Options> = Readonly<Record<keyof Options, true>>;
type Group = 'webhooks' | 'sync' | 'audit' | 'erasure';

const OPTIONS: Names<Required<EngineOptions>> = {
  storage: true,
  providers: true,
  secret: true,
  previousSecrets: true,
  lostKeyIds: true,
  keyring: true,
  previousKeyrings: true,
  cachedDataKeys: true,
  publicUrl: true,
  environment: true,
  webhooks: true,
  onMessage: true,
  sync: true,
  providerBudgets: true,
  audit: true,
  erasure: true,
  hostChecks: true,
  clock: true,
  random: true,
  logger: true,
  telemetry: true,
  measurements: true,
};

const GROUPS: { readonly [Name in Group]: Names<Required<NonNullable<EngineOptions[Name]>>> } = {
  webhooks: { allowedNetworks: true, timeoutMs: true },
  sync: {
    freshWithPushMs: true,
    freshWithoutPushMs: true,
    readWaitMs: true,
    pollWithPushMs: true,
    maxPushStalenessMs: true,
    pollWithoutPushMs: true,
    reconcileEveryMs: true,
    pushForReads: true,
    syncTokenLifetimeMs: true,
    channelLifetimeMs: true,
  },
  audit: { keepDays: true },
  erasure: { keepMessagesDays: true },
};

/**
 * Refuses options that the engine does not have: a misspelt one would count as left out, without a word.
 * @throws KalendsError InvalidRequest naming the option
 */
export function checkOptionNames(options: EngineOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('', 'createEngine takes an object of options');
  checkNames(options, Object.keys(OPTIONS));
  for (const [group, names] of Object.entries(GROUPS)) {
    const given: unknown = options[group as Group];
    if (given === undefined) continue;
    if (typeof given !== 'object' || given === null) throw invalid(group, 'must be an object of options');
    checkNames(given, Object.keys(names), `${group}.`);
  }
}

/**
 * Returns whether a start begins background work, as its options say.
 * @throws KalendsError InvalidRequest naming the option that is unknown or wrong
 */
export function isBackground(options: unknown = {}): boolean {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'must be an object of options');
  checkNames(options, ['background']);
  const { background = true } = options as { readonly background?: unknown };
  if (typeof background !== 'boolean') throw invalid('background', 'must be true or false');
  return background;
}
