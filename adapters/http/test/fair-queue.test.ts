import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFairQueue } from '../src/fair-queue.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue whose turns end by hand. */
function staged(options: Parameters<typeof createFairQueue>[0]) {
  const queue = createFairQueue(options);
  const running: { readonly key: string; readonly end: () => void }[] = [];
  const refused: string[] = [];
  const enter = (key: string) => {
    void queue.enter(key).then((end) => {
      if (end === undefined) refused.push(key);
      else running.push({ key, end });
    });
  };
  const endFirst = () => running.shift()?.end();
  return { queue, enter, running, refused, endFirst, keys: () => running.map(({ key }) => key) };
}

it('gives a newcomer its turn next, however many wait behind a flood', async () => {
  const { enter, keys, endFirst } = staged({ atOnce: 2, perKey: 2, mostWaiting: 1_000 });
  for (let count = 0; count < 500; count += 1) enter('flood');
  enter('person');
  await settle();
  expect(keys()).toEqual(['flood', 'flood']);
  endFirst();
  await settle();
  endFirst();
  await settle();
  expect(keys()).toContain('person');
});

it('leaves turns to others: one caller has at most its own bound', async () => {
  const { enter, keys } = staged({ atOnce: 4, perKey: 3, mostWaiting: 1_000 });
  for (let count = 0; count < 500; count += 1) enter('flood');
  enter('person');
  await settle();
  expect(keys().sort()).toEqual(['flood', 'flood', 'flood', 'person']);
});

it('refuses the last of the longest line when too many wait', async () => {
  const { enter, running, refused, endFirst } = staged({ atOnce: 1, perKey: 1, mostWaiting: 10 });
  for (let count = 0; count < 30; count += 1) enter('flood');
  for (const person of ['a', 'b', 'c']) enter(person);
  await settle();
  expect(refused).toHaveLength(22);
  expect(new Set(refused)).toEqual(new Set(['flood']));
  const served: string[] = [];
  while (running.length > 0) {
    served.push(running[0]?.key ?? '');
    endFirst();
    await settle();
  }
  expect(served).toHaveLength(11);
  expect(served.slice(0, 5)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
});

it('keeps its bounds, admits everybody in the end, and ends a turn once', async () => {
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', ''), fc.nat(9)), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const { enter, running, refused, keys, endFirst } = staged({ atOnce: 3, perKey: 2, mostWaiting: 8 });
      let [entered, ended] = [0, 0];
      const check = () => {
        expect(running.length).toBeLessThanOrEqual(3);
        for (const key of ['a', 'b', 'c']) expect(keys().filter((each) => each === key).length).toBeLessThanOrEqual(2);
        expect(entered - ended - running.length - refused.length).toBeLessThanOrEqual(8);
      };
      for (const step of taken) {
        if (typeof step === 'string') {
          entered += 1;
          enter(step);
        } else if (running.length > 0) {
          const [turn] = running.splice(step % running.length, 1);
          turn?.end();
          turn?.end();
          ended += 1;
        }
        await settle();
        check();
      }
      while (running.length > 0) {
        endFirst();
        ended += 1;
        await settle();
        check();
      }
      expect(ended + refused.length).toBe(entered);
    }),
    { numRuns: 60 },
  );
});

it('lets the newest give way among lines of one length, and forgets callers that it has refused', async () => {
  const { queue, enter, refused, running, endFirst } = staged({ atOnce: 1, perKey: 1, mostWaiting: 3 });
  enter('running');
  for (const person of ['a', 'b', 'c']) enter(person);
  for (let count = 0; count < 100; count += 1) enter(`flood ${count}`);
  await settle();
  expect(refused).toEqual(Array.from({ length: 100 }, (_, count) => `flood ${count}`));
  expect(queue.size).toBe(4);
  while (running.length > 0) {
    endFirst();
    await settle();
  }
  expect(queue.size).toBe(0);
});
