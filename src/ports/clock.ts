/** Source of time. The system clock is in `kalends/runtime`, a manual one in `@kalends/conformance`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason if it aborts first. On a manual clock it resolves when the clock is
   * advanced past that time.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
