import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acceptsGzip, calendarText } from '../src/calendar-text.ts';

/** Parts of 8 kB that no compression shortens by much, without end; counts those that were taken. */
function endlessText() {
  const told = { taken: 0, isOver: false };
  async function* parts() {
    try {
      for (;;) {
        told.taken += 1;
        yield randomBytes(6_144).toString('base64');
      }
    } finally {
      told.isOver = true;
    }
  }
  return { parts: parts(), told };
}

const turns = async () => {
  for (let turn = 0; turn < 200; turn += 1) await setImmediate();
};

describe.each([
  ['plain', false],
  ['compressed', true],
])('a %s text', (_, isCompressed) => {
  it('is not taken before it is read', async () => {
    const { parts, told } = endlessText();
    calendarText(parts, {}, isCompressed);
    await turns();
    expect(told.taken).toBe(0);
  });

  it('is taken as fast as it is read, and no further once the reader has gone', async () => {
    const { parts, told } = endlessText();
    const reader = calendarText(parts, {}, isCompressed).body!.getReader();
    for (let read = 0; read < 4; read += 1) await reader.read();
    await turns();
    // Besides, zlib and its streams hold some 100 kB.
    expect(told.taken).toBeLessThan(40);
    const { taken } = told;
    await reader.cancel();
    await turns();
    expect(told).toEqual({ taken, isOver: true });
  });

  it('is whole, signs of several bytes too, and fails as its source does', async () => {
    const texts = Array.from({ length: 500 }, (_, index) => `Zoë ${index} 🗓️ ${'ü'.repeat(100)}\r\n`);
    async function* parts(failure?: Error) {
      yield* texts;
      if (failure !== undefined) throw failure;
    }
    const response = calendarText(parts(), {}, isCompressed);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect((isCompressed ? gunzipSync(bytes) : bytes).toString()).toBe(texts.join(''));
    expect(response.headers.get('content-encoding')).toBe(isCompressed ? 'gzip' : null);
    const failing = calendarText(parts(new Error('the database has gone')), {}, isCompressed);
    await expect(failing.arrayBuffer()).rejects.toThrow('the database has gone');
  });
});

it.each([
  ['gzip', true],
  ['gzip;q=0.9', true],
  ['br;q=1.0, gzip; q=1.0', true],
  ['GZIP ; Q=0.001', true],
  ['x-gzip', true],
  ['*', true],
  ['br, *;q=0.1', true],
  ['gzip;q=0', false],
  ['*, gzip;q=0.0', false],
  ['*;q=0', false],
  ['gzip;q=much', false],
  ['br, deflate', false],
  ['', false],
])('gzip is accepted by Accept-Encoding %j: %s', (header, isAccepted) => {
  const request = new Request('http://kalends.test/', { headers: { 'accept-encoding': header } });
  expect(acceptsGzip(request)).toBe(isAccepted);
});
