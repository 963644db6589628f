/** Callers that wait for the same resource, served in order of arrival. */
export interface WaitingLine {
  readonly length: number;
  /** Resolves when the caller is admitted. Rejects with the signal's reason if it gives up first, which uses no turn. */
  wait(signal: AbortSignal | undefined): Promise<void>;
  /** Admits the first caller; returns false when the line is empty. */
  admitNext(): boolean;
}

export function createWaitingLine(): WaitingLine {
  // A set keeps the order of arrival and removes from the middle in constant time.
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
