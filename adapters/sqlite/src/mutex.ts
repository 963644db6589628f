/** Lets one holder at a time pass, in the order of asking. */
export interface Mutex {
  lock(): Promise<void>;
  unlock(): void;
}

export function createMutex(): Mutex {
  const waiting: (() => void)[] = [];
  let isLocked = false;
  return {
    lock() {
      if (!isLocked) {
        isLocked = true;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    unlock() {
      const next = waiting.shift();
      if (next === undefined) isLocked = false;
      else next();
    },
  };
}
