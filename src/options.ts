import type { Clock, Logger, Provider, Random, Storage, Telemetry } from './ports/index.ts';

/** Options of createEngine. Durations in milliseconds. */
export interface EngineOptions {
  readonly storage: Storage;
  /** Providers under the names that routes, enums and accounts use (`PROVIDER_A`, `GOOGLE`, …: upper-case letters, digits, _). */
  readonly providers: Readonly<Record<string, Provider>>;
  /** At least 32 bytes of secret, base64 or hex: seals credentials, signs tokens, peppers API keys. Keep it; losing it loses the credentials. */
  readonly secret: string;
  /** Earlier secrets, still accepted for opening and verifying. */
  readonly previousSecrets?: readonly string[];
  /** Absolute URL under which this service's `/v1` is reachable, without it (`https://calendar.example.com/api`). Needed for the authorization flow and for push. */
  readonly publicUrl?: string;
  /** Environment part of API keys, `kal_<environment>_…`. @default "live" */
  readonly environment?: string;
  readonly webhooks?: {
    /** CIDR ranges that webhooks may address although they are private; http is allowed there too. @default [] */
    readonly allowedNetworks?: readonly string[];
    /** @default 15_000 */
    readonly timeoutMs?: number;
  };
  readonly sync?: {
    /** Age of the mirror that a read accepts while a push channel lives. @default 900_000 */
    readonly freshWithPushMs?: number;
    /** The same without push. @default 30_000 */
    readonly freshWithoutPushMs?: number;
    /** How long a read waits for a pull before it answers from the mirror. @default 2_000 */
    readonly readWaitMs?: number;
    /** Background poll with push ±25 %. @default 900_000 */
    readonly pollWithPushMs?: number;
    /** Background poll without push. @default 120_000 */
    readonly pollWithoutPushMs?: number;
    /** Each calendar that is polled is compared with the provider as a whole this often. @default 1 day */
    readonly deepCheckEveryMs?: number;
    /** Opens push channels for calendars that are read often too, not only for those with subscriptions. @default true */
    readonly pushForReads?: boolean;
    /** Validity of sync tokens. @default 30 days */
    readonly syncTokenLifetimeMs?: number;
    /** Push channels ask for this life. @default 6 days 20 hours */
    readonly channelLifetimeMs?: number;
  };
  /**
   * Calls a minute that each OAuth client of a provider may make, by provider type, all processes together (the quota of a
   * Google Cloud project). Polls and deep checks are stretched when it is short. @default no limit
   */
  readonly providerBudgets?: Readonly<Record<string, number>>;
  /** @default the system clock */
  readonly clock?: Clock;
  /** @default node:crypto */
  readonly random?: Random;
  /** @default silent */
  readonly logger?: Logger;
  /** Told of provider calls, pulls and deliveries. @default measures nothing */
  readonly telemetry?: Telemetry;
}
