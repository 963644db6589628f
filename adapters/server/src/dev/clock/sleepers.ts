/** A wait on the demo's clock. */
export interface Sleeper {
  /** Epoch milliseconds on the demo's clock. */
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** The sleepers of a clock, by the time at which they wake; those of one time in the order in which they fell asleep. */
export interface Sleepers {
  readonly size: number;
  add(sleeper: Sleeper): void;
  delete(sleeper: Sleeper): void;
  /** Returns the one that wakes next, and leaves it asleep. */
  first(): Sleeper | undefined;
}

/** Creates an empty set of sleepers: a sorted list, since a process has some dozens of them. */
export function createSleepers(): Sleepers {
  const list: Sleeper[] = [];
  return {
    get size() {
      return list.length;
    },
    add(sleeper) {
      // From the end: most sleepers wake after those who fell asleep before.
      let index = list.length;
      while (index > 0 && (list[index - 1]?.wakeAt ?? 0) > sleeper.wakeAt) index -= 1;
      list.splice(index, 0, sleeper);
    },
    delete(sleeper) {
      const index = list.indexOf(sleeper);
      if (index >= 0) list.splice(index, 1);
    },
    first: () => list[0],
  };
}
