/** Bounds the concurrent work of one kind; lanes take free slots in rotation. */
export interface FairSlots {
  /** Runs work as soon as a slot is free. Waiting work holds no resource. */
  run<Result>(lane: string, work: () => Promise<Result>): Promise<Result>;
}

/** Creates slots. @param limit number of concurrent runs */
export function createFairSlots(limit: number): FairSlots {
  /** Waiting callers by lane, the next lane first. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  function admit(lane: string): Promise<void> {
    if (running < limit) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const line = waiting.get(lane);
      if (line === undefined) waiting.set(lane, [resolve]);
      else line.push(resolve);
    });
  }

  /** Hands the slot to the next in line. */
  function leave(): void {
    const [lane, line] = waiting.entries().next().value ?? [];
    const next = line?.shift();
    if (lane === undefined || line === undefined || next === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(lane);
    if (line.length > 0) waiting.set(lane, line);
    next();
  }

  return {
    async run(lane, work) {
      await admit(lane);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
