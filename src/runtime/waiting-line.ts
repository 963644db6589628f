/** Callers that wait for the same thing, served in the order of their arrival. */
export interface WaitingLine {
  readonly length: number;
  /** Resolves when the caller is admitted. Rejects with the signal's reason when it gives up first, which costs nobody a turn. */
  wait(signal: AbortSignal | undefined): Promise<void>;
  /** Admits the first in the line; false when nobody waits. */
  admitNext(): boolean;
}

export function createWaitingLine(): WaitingLine {
  // A set keeps the order of arrival and lets go of one in the middle at once.
  const waiting = new Set<() => void>();
  return {
    get length() {
      return waiting.size;
    },
    wait(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const admit = () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = () => {
          waiting.delete(admit);
          reject(signal?.reason);
        };
        waiting.add(admit);
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
    admitNext() {
      for (const admit of waiting) {
        waiting.delete(admit);
        admit();
        return true;
      }
      return false;
    },
  };
}
