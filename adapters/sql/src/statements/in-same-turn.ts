import { nextTurn } from 'kalends/runtime';

interface Gathering<Key, Answer> {
  readonly keys: Key[];
  weight: number;
  readonly answer: Promise<Answer>;
}

/**
 * Batches lookups of one turn of the event loop: under load one statement serves many requests. It begins after all of them
 * have come, so none gets an older answer than from a lookup of its own.
 * @param lookUp looks up all keys at once; the same key may come twice
 * @param limit greatest weight of the keys of one lookup; a heavier key goes alone
 * @returns rejects with what the lookup threw: the first caller at once, the others after one retry as a new batch
 */
export function inSameTurn<Key, Answer>(
  lookUp: (keys: readonly Key[]) => Promise<Answer>,
  limit: number,
  weightOf: (key: Key) => number = () => 1,
): (key: Key) => Promise<Answer> {
  let gathering: Gathering<Key, Answer> | undefined;

  const gather = (): Gathering<Key, Answer> => {
    const keys: Key[] = [];
    const answer = nextTurn().then(() => {
      if (gathering?.keys === keys) gathering = undefined;
      return lookUp(keys);
    });
    return { keys, weight: 0, answer };
  };

  const ask = async (key: Key, isSecondTime: boolean): Promise<Answer> => {
    const weight = weightOf(key);
    if (gathering === undefined || gathering.weight + weight > limit) gathering = gather();
    const { keys, answer } = gathering;
    gathering.weight += weight;
    const isFirst = keys.push(key) === 1;
    try {
      return await answer;
    } catch (error) {
      if (isFirst || isSecondTime) throw error;
      // The lookup had the timeout of its first caller: the others retry once, as a new batch.
      return await ask(key, true);
    }
  };
  return (key) => ask(key, false);
}
