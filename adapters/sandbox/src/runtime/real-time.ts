/** The real time that the sandbox needs; tests pass their own. */
export interface RealTime {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms` of real time; the wait never keeps the process alive. */
  wait(ms: number): Promise<void>;
}

/** The machine's clock and timers. */
export const systemTime: RealTime = {
  now: () => Date.now(),
  wait: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms).unref();
    }),
};

/** Returns a signal that aborts with a `TimeoutError` after `ms` of the machine's time. */
export const timeoutSignal = (ms: number): AbortSignal => AbortSignal.timeout(ms);

/** Runs the work as soon as the running code has ended, before any timer or socket. */
export const afterRunningCode = (work: () => void): void => queueMicrotask(work);
