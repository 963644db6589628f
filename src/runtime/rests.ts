import type { Clock } from '../ports/index.ts';

/** Names that are left alone for a while, such as those of what failed. */
export interface Rests {
  /** Lets the name rest from now on. */
  begin(name: string): void;
  /** Ends its rest before the time. */
  end(name: string): void;
  isResting(name: string): boolean;
  /** Names in memory: those whose rest is over are forgotten with the next that begins. */
  readonly size: number;
}

/** Rests of the same length, so that those that began first are over first. */
export function createRests(clock: Clock, forMs: number): Rests {
  const untils = new Map<string, number>();

  function forgetOver(now: number): void {
    for (const [name, until] of untils) {
      if (until > now) return;
      untils.delete(name);
    }
  }

  return {
    begin(name) {
      const now = clock.now();
      forgetOver(now);
      untils.delete(name);
      untils.set(name, now + forMs);
    },
    end: (name) => void untils.delete(name),
    isResting: (name) => clock.now() < (untils.get(name) ?? Number.NEGATIVE_INFINITY),
    get size() {
      return untils.size;
    },
  };
}
