/** Lets one holder at a time pass, in the order of asking. */
export interface Mutex {
  /** @param isOver whether the wait has to end; `turnAway` asks it */
  lock(isOver?: () => boolean): Promise<void>;
  unlock(): void;
  /** Rejects those whose wait has to end. @param reason makes the error */
  turnAway(reason: () => Error): void;
}

interface Waiting {
  readonly isOver: () => boolean;
  pass(): void;
  reject(error: Error): void;
}

export function createMutex(): Mutex {
  let waiting: Waiting[] = [];
  let isLocked = false;
  return {
    lock(isOver = () => false) {
      if (!isLocked) {
        isLocked = true;
        return Promise.resolve();
      }
      return new Promise((pass, reject) => waiting.push({ isOver, pass, reject }));
    },
    unlock() {
      const next = waiting.shift();
      if (next === undefined) isLocked = false;
      else next.pass();
    },
    turnAway(reason) {
      waiting = waiting.filter(({ isOver, reject }) => {
        if (!isOver()) return true;
        reject(reason());
        return false;
      });
    },
  };
}
