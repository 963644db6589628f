import fc from 'fast-check';
import { mapInTurns, readText } from 'kalends/runtime';
import { expect, test } from 'vitest';

/** Runs work and counts the turns that others got meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isRunning = false;
  return turns;
}

function inChunks(bytes: Uint8Array, size: number): Response {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  );
  return new Response(ReadableStream.from(chunks));
}

test('a text is read as Response reads it, however it is cut', async () => {
  const bytes = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
    fc.uint8Array(),
    fc.string().map((text) => new TextEncoder().encode(`\ufeff${text}`)),
  );
  const property = fc.asyncProperty(bytes, fc.integer({ min: 1, max: 5 }), async (body, size) => {
    expect(await readText(inChunks(body, size))).toBe(await inChunks(body, size).text());
  });
  await fc.assert(property);
  expect(await readText(new Response(null, { status: 204 }))).toBe('');
});

test('a long text is decoded in turns', async () => {
  const body = new TextEncoder().encode('\u00e9 \u{1f600}'.repeat(1_500_000));
  expect(await turnsDuring(() => readText(inChunks(body, 65_536)))).toBeGreaterThanOrEqual(9);
});

test('a long list is mapped in turns, in its order', async () => {
  const items = Array.from({ length: 2_500 }, (_, i) => i);
  let mapped: readonly number[] = [];
  const turns = await turnsDuring(async () => {
    mapped = await mapInTurns(items, (item, index) => item + index);
  });
  expect(mapped).toEqual(items.map((item) => 2 * item));
  expect(turns).toBeGreaterThanOrEqual(49);
});
