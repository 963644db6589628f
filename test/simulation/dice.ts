import { seededRandom } from '@kalends/conformance';

/** Draws of one seeded source. */
export interface Dice {
  /** True with this probability. */
  chance(share: number): boolean;
  /** 0 … limit - 1. */
  below(limit: number): number;
  between(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Another source, so that what one part draws does not move what another part gets. */
  split(): Dice;
}

export function dice(seed: number): Dice {
  const random = seededRandom(seed);
  const self: Dice = {
    chance: (share) => random.fraction() < share,
    below: (limit) => Math.floor(random.fraction() * limit),
    between: (from, to) => from + Math.floor(random.fraction() * (to - from + 1)),
    pick: (items) => items[self.below(items.length)]!,
    split: () => dice(Math.floor(random.fraction() * 2 ** 32)),
  };
  return self;
}
