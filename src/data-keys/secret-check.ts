import type { SecretState } from '../engine-interface.ts';
import { type Clock, type DataKeyKind, KalendsError, type Logger, type Sealer, type Storage } from '../ports/index.ts';
import { isRecent } from '../runtime/index.ts';

const KINDS: readonly DataKeyKind[] = ['client', 'credential', 'target'];
/** Maximum number of wrapping keys looked at for each kind: there are as many as secrets that are still in use. */
const MAX_WRAPPING_KEYS = 100;
/** Reuse a good state for a second, so that probes and refused API keys cost no query each. */
const REUSE_MS = 1_000;
/** Interval of looks while background work is held. */
const LOOK_MS = 30_000;
const RETRY_MS = 30_000;

/** Compares the configured secrets with those that the stored data keys are wrapped under. */
export interface SecretCheck {
  /** Returns the state, and logs each change of it once. @throws what the storage throws */
  inspect(): Promise<SecretState>;
  /** Waits until the configured secrets open at least some of what is stored. Rejects with the signal's reason. */
  untilUsable(signal: AbortSignal): Promise<void>;
  /**
   * Refuses to seal or hash anything under a secret that opens nothing of what is stored: it would be lost when the right secret
   * is configured. @throws KalendsError InternalError (503)
   */
  requireUsable(): Promise<void>;
  /**
   * Does so before something is hashed that does not name its secret, and records the secret, so that another one is noticed.
   * @throws as requireUsable
   */
  requireRecorded(): Promise<void>;
  /** Records the current secret in the place of a previous one, when no other is missing. */
  renewRecord(): Promise<void>;
  /** @throws KalendsError InternalError (503) while a secret is missing, under which an unknown API key may have been made */
  requireComplete(): Promise<void>;
}

export function createSecretCheck(dependencies: {
  readonly storage: Pick<Storage, 'dataKeys'>;
  readonly sealer: Pick<Sealer, 'keyIds' | 'keyIdOf'>;
  /** Id of the current secret. */
  readonly secretId: string;
  /** Ids of keys whose secrets the operator has given up. */
  readonly lostKeyIds: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}): SecretCheck {
  const { storage, sealer, secretId, lostKeyIds, clock, logger } = dependencies;
  const { dataKeys } = storage;
  let logged = '';
  let known: { readonly state: SecretState; readonly at: number } | undefined;
  let looking: Promise<SecretState> | undefined;

  const note = (state: SecretState) => {
    const { opens, missingKeyIds } = state;
    const told = JSON.stringify([opens, missingKeyIds]);
    if (told === logged) return;
    if (opens !== 'all') logger.error(LINES[opens], { reason: reasonOf(state) });
    else if (logged !== '') logger.info('the configured secrets open what is stored again');
    logged = opens === 'all' ? '' : told;
  };

  const look = async (): Promise<SecretState> => {
    const [recorded, ...samples] = await Promise.all([
      dataKeys.findSecretId(),
      ...KINDS.map((kind) => dataKeys.samples(kind, MAX_WRAPPING_KEYS)),
    ]);
    // A malformed key is damage, which no secret mends.
    const used = new Set(samples.flat().flatMap(({ wrappedKey }) => sealer.keyIdOf(wrappedKey) ?? []));
    if (recorded !== undefined) used.add(recorded);
    const missingKeyIds = [...used].filter((id) => !sealer.keyIds.includes(id) && !lostKeyIds.includes(id)).sort();
    const opensSome = sealer.keyIds.some((id) => used.has(id));
    const opens = missingKeyIds.length === 0 ? 'all' : opensSome ? 'some' : 'none';
    const state: SecretState = { opens, missingKeyIds, isChecked: used.size > 0 };
    known = opens === 'all' ? { state, at: clock.now() } : undefined;
    note(state);
    return state;
  };

  const inspect = async (): Promise<SecretState> => {
    if (known !== undefined && isRecent(clock, known.at, REUSE_MS)) return known.state;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return await looking;
  };

  const requireUsable = async () => {
    if ((await inspect()).opens === 'none') throw refusal();
  };

  const record = async (options?: { readonly ifNone: boolean }) => {
    await dataKeys.setSecretId(secretId, options);
    known = undefined;
  };

  return {
    inspect,
    async untilUsable(signal) {
      while ((await inspect()).opens === 'none') await clock.sleep(LOOK_MS, signal);
    },
    requireUsable,
    async requireRecorded() {
      await requireUsable();
      await record({ ifNone: true });
      // A process with another secret may have been first.
      await requireUsable();
    },
    async renewRecord() {
      const recorded = await dataKeys.findSecretId();
      if (recorded === undefined || recorded === secretId) return;
      if ((await inspect()).opens === 'all') await record();
    },
    async requireComplete() {
      if ((await inspect()).opens !== 'all') throw refusal();
    },
  };
}

const LINES = {
  none: 'the configured secret opens nothing of what is stored; nothing is sealed or synced until that is mended',
  some: 'a part of what is stored was sealed under a secret that is not configured',
} as const;

/** Describes the state for operators, with ids that tell nothing about the secrets. */
export function reasonOf({ missingKeyIds }: SecretState): string {
  const ids = missingKeyIds.join(', ');
  return `data keys are wrapped, or API keys hashed, under secrets that are not configured, with the key ids ${ids}: configure these secrets, as the current or a previous one, or the keyring that has these keys`;
}

function refusal(): KalendsError {
  const message = 'The configured secrets do not open what is stored.';
  return new KalendsError('InternalError', message, { status: 503, retryAfterMs: RETRY_MS });
}
