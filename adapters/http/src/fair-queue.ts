/** Bounds the work under way, and shares it fairly among callers. */
export interface FairQueue {
  /**
   * Waits for a turn, and resolves with the function that ends it.
   * Resolves with undefined at once when too many wait and this caller has most of them. Callers take turns; the requests
   * of one caller keep their order. Callers without a key count as one.
   */
  enter(key: string | undefined): Promise<(() => void) | undefined>;
  /** Number of callers with work under way or waiting. */
  readonly size: number;
}

interface Line {
  running: number;
  readonly waiting: ((isAdmitted: boolean) => void)[];
}

/** @param perKey most of `atOnce` that one caller gets; a caller without a key may get all */
export function createFairQueue(options: {
  readonly atOnce: number;
  readonly perKey: number;
  readonly mostWaiting: number;
}): FairQueue {
  const { atOnce, perKey, mostWaiting } = options;
  const lines = new Map<string, Line>();
  /** Keys with waiters that are below their own bound, in the order of their turns. */
  const ready = new Set<string>();
  let running = 0;
  let waiting = 0;

  const mostOf = (key: string) => (key === '' ? atOnce : perKey);

  const queueUp = (key: string, line: Line) => {
    if (line.waiting.length > 0 && line.running < mostOf(key)) ready.add(key);
  };

  const forgetIdle = (key: string, line: Line) => {
    if (line.running === 0 && line.waiting.length === 0) lines.delete(key);
  };

  const admitNext = (): void => {
    for (const key of ready) {
      if (running >= atOnce) return;
      ready.delete(key);
      const line = lines.get(key);
      const admit = line?.waiting.shift();
      if (line === undefined || admit === undefined) continue;
      waiting -= 1;
      line.running += 1;
      running += 1;
      queueUp(key, line);
      admit(true);
    }
  };

  const leave = (key: string, line: Line): void => {
    running -= 1;
    line.running -= 1;
    queueUp(key, line);
    forgetIdle(key, line);
    admitNext();
  };

  /** Refuses the last waiter of the longest line (of equal lines, the newest), so that a flood crowds out itself alone. */
  const giveWay = (): void => {
    let longest: readonly [string, Line] | undefined;
    for (const each of lines) {
      if (each[1].waiting.length >= (longest?.[1].waiting.length ?? 1)) longest = each;
    }
    if (longest === undefined) return;
    const [key, line] = longest;
    waiting -= 1;
    line.waiting.pop()?.(false);
    if (line.waiting.length === 0) ready.delete(key);
    forgetIdle(key, line);
  };

  return {
    get size() {
      return lines.size;
    },
    enter(name = '') {
      const line = lines.get(name) ?? { running: 0, waiting: [] };
      lines.set(name, line);
      return new Promise((resolve) => {
        let isOver = false;
        const end = () => {
          if (isOver) return;
          isOver = true;
          leave(name, line);
        };
        line.waiting.push((isAdmitted) => resolve(isAdmitted ? end : undefined));
        waiting += 1;
        queueUp(name, line);
        admitNext();
        if (waiting > mostWaiting) giveWay();
      });
    },
  };
}
