import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyTooLongError, readText } from '../src/read-body.ts';

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
    expect(await readText(inChunks(body, size), Number.POSITIVE_INFINITY)).toBe(await inChunks(body, size).text());
  });
  await fc.assert(property);
  expect(await readText(new Response(null, { status: 204 }), 0)).toBe('');
});

test('a long text is decoded in turns of the event loop', async () => {
  const body = new TextEncoder().encode('\u00e9 \u{1f600}'.repeat(1_500_000));
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  await readText(inChunks(body, 65_536), body.length);
  isReading = false;
  expect(turns).toBeGreaterThanOrEqual(9);
});

test('a body is read to its bound and no further', async () => {
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1_000;
      controller.enqueue(new Uint8Array(1_000).fill(32));
    },
    cancel() {
      isCancelled = true;
    },
  });
  await expect(readText(new Response(endless), 50_000)).rejects.toBeInstanceOf(BodyTooLongError);
  expect(sent).toBeLessThanOrEqual(53_000);
  expect(isCancelled).toBe(true);
  expect(await readText(inChunks(new Uint8Array(50_000).fill(32), 999), 50_000)).toHaveLength(50_000);
});
