/** Outcome of one check of the running system. */
export interface Finding {
  /** Stable name of the check, in camelCase. */
  readonly check: string;
  /** `skipped`: it could not be checked, or does not apply; the message says why. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** How to mend it; null where there is nothing to mend. Names no secret. */
  readonly remedy: string | null;
}

/** A check of the engine's surroundings, which its host adds to the diagnosis. */
export interface HostCheck {
  /** Name of the finding while the check fails or takes too long. */
  readonly check: string;
  /** Returns one finding or several. The signal ends it after a few seconds. */
  run(signal: AbortSignal): Promise<readonly Finding[]>;
}
