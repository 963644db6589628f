/** Time as the engine sees it. The system clock is in `kalends/runtime`, a manual one in `kalends/conformance`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Resolves after `ms`. Rejects with the signal's reason when it is aborted first.
   * A manual clock resolves it when it is advanced past the wake-up time.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
