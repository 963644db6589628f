/** Interval of the check whether npm still runs. */
const WATCH_MS = 250;

/**
 * Resolves with the reason to stop: SIGTERM, SIGINT, or the end of the npm that started this process.
 * npm sends SIGTERM to a shell between it and this process, and that shell does not pass it on. A second signal ends the
 * process at once.
 */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        signals += 1;
        if (signals > 1) {
          process.stderr.write(`kalends: second ${signal}: ending at once, without waiting for work in progress\n`);
          process.exit(1);
        }
        resolve(signal);
      });
    }
    if (process.env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      resolve('npm has ended');
    }, WATCH_MS);
    watch.unref();
  });
}
