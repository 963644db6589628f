import { nextTurn } from 'kalends/runtime';

interface Gathering<Key, Answer> {
  readonly keys: Key[];
  weight: number;
  readonly answer: Promise<Answer>;
}

/**
 * A lookup that answers together what is asked for in one turn of the event loop: under load one statement serves many
 * requests. It begins after all of them have come, so none is told anything older than it would have found by itself.
 * @param lookUp looks up all keys at once; the same key may come twice
 * @param limit what the keys of one lookup weigh together at most; a key that is heavier goes alone
 * @returns rejects with what the lookup threw: at once for whoever came first, for others when it has failed them a second time
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
      // It went by the patience of whoever came first: the others ask once more, together again.
      return await ask(key, true);
    }
  };
  return (key) => ask(key, false);
}
