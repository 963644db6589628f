/** An answer shows the state of one moment between these two times. */
export interface Moment {
  readonly from: number;
  readonly to: number;
  /** Line of the history that ends the answer. */
  readonly line: number;
  /** Number of the quiet time that the moment lies in; undefined outside. */
  readonly quiet: number | undefined;
}

/** Whether a moment is certainly earlier than another one. */
export function isBefore(one: Pick<Moment, 'to'>, other: Pick<Moment, 'from'>): boolean {
  return one.to < other.from;
}

/**
 * Returns the longest run of moments, each certainly after the one before, that begins with one of `first` and changes between both
 * lists at each step. Both are in order.
 */
export function alternation(first: readonly Moment[], second: readonly Moment[]): readonly Moment[] {
  const found: Moment[] = [];
  const next = [0, 0];
  const lists = [first, second];
  for (let turn = 0; ; turn = 1 - turn) {
    const last = found.at(-1);
    const list = lists[turn] as readonly Moment[];
    let index = next[turn] as number;
    while (index < list.length && last !== undefined && !isBefore(last, list[index] as Moment)) index += 1;
    const moment = list[index];
    if (moment === undefined) return found;
    found.push(moment);
    next[turn] = index + 1;
  }
}
