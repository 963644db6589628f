import { nextTurn, takeTurn } from 'kalends/runtime';
import { expect, test } from 'vitest';

/** Lets all waiting callers go on, turn by turn; resolves with those of each turn. */
async function resumed(lanes: readonly string[]): Promise<readonly (readonly string[])[]> {
  const turns: string[][] = [];
  let current: string[] = [];
  const all = lanes.map((lane) => takeTurn(lane).then(() => void current.push(lane)));
  for (let turn = 0; turn < lanes.length + 2; turn++) {
    current = [];
    await nextTurn();
    turns.push(current);
  }
  await Promise.all(all);
  return turns.filter((turn) => turn.length > 0);
}

test('one goes on in each turn, and lanes take turns', async () => {
  expect(await resumed(['a', 'a', 'a', 'b', 'c', 'b'])).toEqual([['a'], ['b'], ['c'], ['a'], ['b'], ['a']]);
});

test('one lane alone goes in the order of asking, and the queue starts again after it was empty', async () => {
  const order: number[] = [];
  for (let round = 0; round < 2; round++) {
    await Promise.all([0, 1, 2].map((index) => takeTurn('a').then(() => void order.push(index))));
  }
  expect(order).toEqual([0, 1, 2, 0, 1, 2]);
});

test('who asks again goes behind the others of its lane', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let step = 0; step < 2; step++) {
      await takeTurn('a');
      order.push(`${name}${step}`);
    }
  };
  await Promise.all([work('x'), work('y')]);
  expect(order).toEqual(['x0', 'y0', 'x1', 'y1']);
});
