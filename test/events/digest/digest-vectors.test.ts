import { readFileSync } from 'node:fs';
import { digestOf } from '@kalends/client/digest';
import { describe, expect, test } from 'vitest';
import { plainDigest } from './plain-digest.ts';

interface Member {
  readonly id: string;
  readonly etag: string;
}

interface Vectors {
  readonly lists: readonly { readonly name: string; readonly records: readonly Member[]; readonly digest: string }[];
  readonly changes: readonly {
    readonly name: string;
    readonly before: string;
    readonly gone: readonly Member[];
    readonly come: readonly Member[];
    readonly after: string;
  }[];
}

const path = new URL('../../../docs/digest-vectors.json', import.meta.url);
const { lists, changes }: Vectors = JSON.parse(readFileSync(path, 'utf8'));

describe('the published test vectors', () => {
  test.each(lists)('$name', async ({ records, digest }) => {
    expect(plainDigest(records)).toBe(digest);
    expect(await digestOf(records)).toBe(digest);
  });

  test.each(changes)('$name', ({ before, gone, come, after }) => {
    const number = (digest: string) => BigInt(`0x${digest}`);
    const sum = number(before) - number(plainDigest(gone)) + number(plainDigest(come));
    expect(BigInt.asUintN(128, sum)).toBe(number(after));
  });
});

test('the client adds up more records than it hashes at a time', async () => {
  const records = Array.from({ length: 2_500 }, (_, index) => ({ id: `evt_${index}`, etag: `"${index}"` }));
  expect(await digestOf(records)).toBe(plainDigest(records));
  expect(await digestOf(records.toReversed())).toBe(plainDigest(records));
});
