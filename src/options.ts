import type { MessageHandler } from './message-handler.ts';
import type { Clock, HostCheck, Keyring, Logger, Provider, Random, Storage, Telemetry } from './ports/index.ts';

/** Calls of one OAuth client. */
export interface CallBudget {
  /** @default no limit */
  readonly perMinute?: number;
  /** Calls of a day that begins at midnight in Los Angeles, as Google's does. @default no limit */
  readonly perDay?: number;
}

/** Options of createEngine. Durations in milliseconds. */
export interface EngineOptions {
  readonly storage: Storage;
  /** Providers by the name that routes, enums and accounts use: `PROVIDER_A`, `GOOGLE`, … (upper-case letters, digits, `_`). */
  readonly providers: Readonly<Record<string, Provider>>;
  /**
   * Secret of at least 32 bytes, base64 or hex. It seals and signs tokens, peppers API keys and, unless there is another
   * keyring, wraps the data keys. Without it the stored credentials cannot be read again.
   */
  readonly secret: string;
  /** Earlier secrets, still accepted for decryption and verification. */
  readonly previousSecrets?: readonly string[];
  /**
   * Key ids, as the log names them, of secrets that are lost: stored data keys under them count as given up, and the engine as
   * healthy. Nothing stored is changed. @default none
   */
  readonly lostKeyIds?: readonly string[];
  /**
   * Wraps the data keys of credentials, OAuth client secrets and webhook secrets. Keys wrapped under the engine's secrets
   * still open beside it.
   * @default the local keyring, which wraps under `secret`
   */
  readonly keyring?: Keyring;
  /** Keyrings that wrapped stored data keys before, or will wrap them in other processes. They unwrap. @default none */
  readonly previousKeyrings?: readonly Keyring[];
  /** Maximum number of unwrapped data keys in memory; each is used for five minutes at most. @default 10_000 */
  readonly cachedDataKeys?: number;
  /**
   * Absolute URL that precedes `/v1` (`https://calendar.example.com/api`). Required for the authorization flow and for push.
   */
  readonly publicUrl?: string;
  /** Environment part of API keys, `kal_<environment>_…`. @default "live" */
  readonly environment?: string;
  readonly webhooks?: {
    /** Private CIDR ranges that webhooks may address, also over http. @default [] */
    readonly allowedNetworks?: readonly string[];
    /** Time limit of one delivery attempt, also of `onMessage`. @default 15_000 */
    readonly timeoutMs?: number;
  };
  /**
   * Receives, in this process, the messages of receivers whose `webhookUrl` is `ON_MESSAGE_URL`: through the outbox, in the
   * order and on the schedule of webhooks. Processes without it leave these messages to those that have it. @default none
   */
  readonly onMessage?: MessageHandler;
  readonly sync?: {
    /** Maximum age of the mirror for reads while a push channel is open. @default 900_000 */
    readonly freshWithPushMs?: number;
    /** Maximum age of the mirror for reads without push. @default 30_000 */
    readonly freshWithoutPushMs?: number;
    /** Longest wait of a read for a pull before it answers from the mirror. @default 2_000 */
    readonly readWaitMs?: number;
    /** Shortest interval of background polls with push: at first, and after a missed push. @default 900_000 */
    readonly pollWithPushMs?: number;
    /**
     * Longest interval of background polls with push, reached while no push is missed: the age that the mirror of a calendar
     * which is not read can reach when pushes begin to fail. Each of the provider's sources of changes is asked once in it.
     * @default 6 hours for each source: 6 at Google, 12 at Graph
     */
    readonly maxPushStalenessMs?: number;
    /** Interval of background polls without push, ±25 %. @default 120_000 */
    readonly pollWithoutPushMs?: number;
    /**
     * Interval of the reconciliation of each polled calendar with the whole calendar at the provider, for each page that it
     * takes: one of four pages is compared a quarter as often, the largest every 14 intervals. @default 1 day
     */
    readonly reconcileEveryMs?: number;
    /**
     * Opens push channels also for calendars without subscriptions that are read often. A process opens them for the reads that it
     * answers itself: one without background work (`start({ background: false })`) opens none. @default true
     */
    readonly pushForReads?: boolean;
    /** Validity of sync tokens. @default 30 days */
    readonly syncTokenLifetimeMs?: number;
    /** Requested lifetime of push channels. @default 6 days 20 hours */
    readonly channelLifetimeMs?: number;
  };
  /**
   * Calls of each OAuth client, by provider type, over all processes (the quotas of a Google Cloud project). A number is a
   * budget per minute. Polls and reconciliations slow down when one runs short. @default no limit
   */
  readonly providerBudgets?: Readonly<Record<string, number | CallBudget>>;
  readonly audit?: {
    /** Days for which entries of the audit log are kept. @default 400 */
    readonly keepDays?: number;
  };
  readonly erasure?: {
    /**
     * Days for which messages about accounts are kept, with the log of their deliveries: at most 29, so that thirty days after its
     * deletion nothing of an account is left. @default 29
     */
    readonly keepMessagesDays?: number;
  };
  /** Checks of the host that `operations.diagnose` runs beside its own. @default none */
  readonly hostChecks?: readonly HostCheck[];
  /** @default the system clock */
  readonly clock?: Clock;
  /** @default node:crypto */
  readonly random?: Random;
  /** Takes the message, then the fields. One that takes the fields first, such as pino's, needs `fieldsFirst`. @default silent */
  readonly logger?: Logger;
  /** Receives counts and measurements of provider calls, pulls and deliveries. @default none */
  readonly telemetry?: Telemetry;
  /**
   * Whether this process stores what it measures, for `operations.listMeasurements`: at most one write in 15 s, none while it is
   * idle. @default true
   */
  readonly measurements?: boolean;
}
