/** Real time, as far as the sandbox needs it: the instant, and waiting. Replaceable in tests. */
export interface RealTime {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms` of real time; the wait never keeps the process alive. */
  wait(ms: number): Promise<void>;
}

/** The machine's own clock and timers. */
export const systemTime: RealTime = {
  now: () => Date.now(),
  wait: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms).unref();
    }),
};
