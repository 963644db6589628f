import type { Actor } from './callers.ts';

/** Owner of a data key that does not open: exactly one of `accountId`, `providerType` and `targetId` is set. */
export interface UnopenedDataKey {
  readonly applicationId: string;
  /** Account whose credentials the key seals. */
  readonly accountId?: string;
  /** Provider type of the OAuth client whose secret the key seals. */
  readonly providerType?: string;
  /** Subscription or endpoint whose signing secret the key seals. */
  readonly targetId?: string;
  readonly reason: string;
}

/** Result of rewrapping the data keys. Keys removed during the run are not counted. */
export interface RewrapReport {
  /** Wrapped by the current keyring, under the current version of its key, by this call. */
  readonly rewrapped: number;
  /** Keys that were so already. */
  readonly current: number;
  /** Keys left unchanged: altered, or wrapped under a secret or by a keyring that is not configured. */
  readonly unopened: number;
  /** The first fifty unopened keys. */
  readonly unopenedKeys: readonly UnopenedDataKey[];
}

/** How the configured secrets fit what is stored. */
export interface SecretState {
  /** `none`: something is stored under secrets or keyrings, and none of them is configured. `all` where nothing is stored. */
  readonly opens: 'all' | 'some' | 'none';
  /** Ids of the wrapping keys whose secrets or keyrings are not configured, ascending. They tell nothing about the secrets. */
  readonly missingKeyIds: readonly string[];
  /** False while no data key was stored and no API key made: any secret fits. */
  readonly isChecked: boolean;
}

/** Result of the check of one keyring. */
export interface KeyringState {
  /** Its id, such as `vault:transit/kalends`. */
  readonly id: string;
  /** Whether it wraps new data keys; the others only unwrap. */
  readonly isCurrent: boolean;
  /** Why it cannot wrap and unwrap now, and what to do about it; null when it can. */
  readonly problem: string | null;
}

/**
 * Data keys of all applications in the storage. Each account's credentials, each OAuth client and each webhook secret is
 * sealed under a data key of its own, which a keyring wraps.
 */
export interface DataKeyService {
  /**
   * Rewraps every data key that another keyring, a previous secret or an earlier version of the key has wrapped; the sealed
   * values stay as they are. Safe to interrupt, repeat and run in several processes beside other work: a repetition only
   * looks at the keys that are done. An engine with `previousSecrets` or several keyrings does it in the background.
   * `by` is who asks, for the audit log, which gets one entry, before the first key is replaced. @default embedded
   * @throws KalendsError InternalError with status 503 when the keyring is unavailable; repeat it to go on
   */
  rewrap(
    options?: {
      /** Pause between pages of a hundred keys, in milliseconds. @default 0 */
      readonly pauseMs?: number;
      readonly signal?: AbortSignal;
      /** Called after each page with the totals so far. */
      readonly progress?: (report: RewrapReport) => void;
    },
    by?: Actor,
  ): Promise<RewrapReport>;
  /**
   * Compares the configured secrets with those that all data keys are wrapped under. Cheap: the cost does not grow with the number
   * of keys, and a good state is reused for a second. A process whose `opens` is not `all` should get no requests.
   */
  check(): Promise<SecretState>;
  /** Asks each keyring whether it can wrap and unwrap now, the current one first. Reads no stored key. */
  checkKeyrings(): Promise<readonly KeyringState[]>;
}
