/** Remembers the most recently used names, in bounded memory. */
export interface RecentlyUsed {
  add(name: string): void;
  has(name: string): boolean;
}

export function createRecentlyUsed(most: number): RecentlyUsed {
  const names = new Set<string>();
  return {
    add(name) {
      names.delete(name);
      names.add(name);
      if (names.size <= most) return;
      for (const oldest of names) {
        names.delete(oldest);
        return;
      }
    },
    has: (name) => names.has(name),
  };
}
