/** How often each thing happened, by name. */
export interface Tally {
  count(name: string, times?: number): void;
  get(name: string): number;
  add(other: Tally): void;
  entries(): readonly (readonly [string, number])[];
}

export function tally(): Tally {
  const counts = new Map<string, number>();
  const self: Tally = {
    count(name, times = 1) {
      counts.set(name, (counts.get(name) ?? 0) + times);
    },
    get: (name) => counts.get(name) ?? 0,
    add(other) {
      for (const [name, times] of other.entries()) self.count(name, times);
    },
    entries: () => [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
  return self;
}
