/** Runs the work of each key one at a time, in order of the calls, within this process. */
export interface KeyedMutex {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const before = tails.get(key) ?? Promise.resolve();
      const result = before.then(work, work);
      const tail = result
        .catch(() => undefined)
        .finally(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      tails.set(key, tail);
      return result;
    },
  };
}
