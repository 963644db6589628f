import type { Clock } from '../../ports/index.ts';

/** Names that are left alone for a while, such as those of failed operations. */
export interface CoolDowns {
  /** Starts the name's cool-down, or starts it anew. */
  begin(name: string): void;
  /** Ends the name's cool-down early. */
  end(name: string): void;
  /** Returns whether the name is cooling down. */
  isActive(name: string): boolean;
  /** Number of names in memory; `begin` evicts the expired ones. */
  readonly size: number;
}

/** Creates cool-downs of one length, which therefore expire in the order in which they began. */
export function createCoolDowns(clock: Clock, durationMs: number): CoolDowns {
  const untils = new Map<string, number>();

  function evictExpired(now: number): void {
    for (const [name, until] of untils) {
      if (until > now) return;
      untils.delete(name);
    }
  }

  return {
    begin(name) {
      const now = clock.now();
      evictExpired(now);
      untils.delete(name);
      untils.set(name, now + durationMs);
    },
    end: (name) => void untils.delete(name),
    isActive: (name) => clock.now() < (untils.get(name) ?? Number.NEGATIVE_INFINITY),
    get size() {
      return untils.size;
    },
  };
}
