import { nextTurn } from './next-turn.ts';

/** Mapping or checking an event takes some 20 µs, or some milliseconds with hundreds of attendees. */
const ITEMS_PER_TURN = 50;

/** Maps a list in parts, each in its own turn of the event loop. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await nextTurn();
    results.push(map(item, index));
  }
  return results;
}
