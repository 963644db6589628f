import { createFairSlots } from 'kalends/runtime';
import { expect, test } from 'vitest';

/** Work that ends when it is told to. */
function controlled() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { started, work, end: (name: string) => ends.get(name)?.() };
}

test('never more than the limit at a time, and lanes take turns', async () => {
  const { started, work, end } = controlled();
  const slots = createFairSlots(2);
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'];
  const all = names.map((name) => slots.run(name.slice(0, 1), work(name)));
  for (let index = 0; index < names.length; index++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(started.length).toBe(Math.min(index + 2, names.length));
    end(started[index] ?? '');
  }
  expect(await Promise.all(all)).toEqual(names);
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4']);
});

test('work that fails gives its slot back', async () => {
  const slots = createFairSlots(1);
  const failing = async () => {
    throw new Error('failed');
  };
  await expect(slots.run('a', failing)).rejects.toThrow('failed');
  expect(await slots.run('a', async () => 'next')).toBe('next');
});
