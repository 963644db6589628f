/**
 * Compiled BYSETPOS: picks places of a period's set. The set combines every day with every time of day; it may have half a
 * million members and is never built.
 * @see RFC 5545 §3.3.10, BYSETPOS
 */
export interface SetPositions {
  /** Returns the picked places in a set of this size, from 0, ascending, each once. */
  placesIn(size: number): readonly number[];
  /** Returns the number of places picked in a set of this size. */
  countIn(size: number): number;
}

/** Compiles the values of BYSETPOS. */
export function compilePositions(values: readonly number[]): SetPositions {
  const ascending = [...new Set(values)].sort((a, b) => a - b);
  const fromEnd = ascending.filter((value) => value < 0);
  const fromStart = ascending.slice(fromEnd.length);
  const counts = new Map<number, number>();

  function placesIn(size: number): readonly number[] {
    const places: number[] = [];
    let back = 0;
    while (back < fromEnd.length && size + fromEnd[back]! < 0) back++;
    for (const value of fromStart) {
      if (value > size) break;
      for (; back < fromEnd.length && size + fromEnd[back]! < value - 1; back++) places.push(size + fromEnd[back]!);
      if (back < fromEnd.length && size + fromEnd[back]! === value - 1) back++;
      places.push(value - 1);
    }
    for (; back < fromEnd.length; back++) places.push(size + fromEnd[back]!);
    return places;
  }

  return {
    placesIn,
    countIn(size) {
      let count = counts.get(size);
      if (count === undefined) {
        count = placesIn(size).length;
        counts.set(size, count);
      }
      return count;
    },
  };
}

/** Applies BYSETPOS, if any, to the ascending slots of a period. */
export function pickPositions<Slot>(slots: readonly Slot[], positions: readonly number[] | undefined): readonly Slot[] {
  if (positions === undefined) return slots;
  return compilePositions(positions)
    .placesIn(slots.length)
    .map((place) => slots[place]!);
}
