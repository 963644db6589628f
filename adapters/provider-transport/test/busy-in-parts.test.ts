import { type PersonBusy, ProviderError } from 'kalends/ports';
import { expect, test } from 'vitest';
import { type BusyRequest, busyInParts } from '../src/index.ts';

const LIMITS = { mostAddresses: 2, longestMs: 10 };
const addresses = ['a', 'b', 'c', 'a'];
const window = { startMs: 5, endMs: 28 };

test('covers every address and instant once, within the limits of a call', async () => {
  const asked: BusyRequest[] = [];
  const people = await busyInParts({ addresses, window }, LIMITS, async (part) => {
    asked.push(part);
    return part.addresses.map(() => ({ spans: [{ ...part.window, type: 'busy' }] }));
  });
  const windows = [
    { startMs: 5, endMs: 15 },
    { startMs: 15, endMs: 25 },
    { startMs: 25, endMs: 28 },
  ];
  expect(asked.map(({ addresses: own }) => own.join(''))).toEqual(['ab', 'ab', 'ab', 'c', 'c', 'c']);
  expect(people).toEqual(addresses.map(() => ({ spans: windows.map((span) => ({ ...span, type: 'busy' })) })));
});

test('does not know a person who cannot be read in one part, and knows the others', async () => {
  const error = new ProviderError('forbidden', 'no');
  const people = await busyInParts({ addresses, window }, LIMITS, async (part) =>
    part.addresses.map(
      (address): PersonBusy => (address === 'b' && part.window.startMs === 15 ? { error } : { spans: [] }),
    ),
  );
  expect(people).toEqual([{ spans: [] }, { error }, { spans: [] }, { spans: [] }]);
});

test('rejects with the failure of a call', async () => {
  const failure = new ProviderError('unavailable', 'no');
  await expect(busyInParts({ addresses, window }, LIMITS, () => Promise.reject(failure))).rejects.toBe(failure);
});
