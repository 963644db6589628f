/** Bounds how much work of one kind goes on at a time; lanes take free slots in rotation. */
export interface FairSlots {
  /** Runs work as soon as a slot is free; what waits holds nothing but its place. */
  run<Result>(lane: string, work: () => Promise<Result>): Promise<Result>;
}

/** @param limit how many run at a time */
export function createFairSlots(limit: number): FairSlots {
  /** The lane whose turn is next stands first. */
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
