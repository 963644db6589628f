import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextBytes } from '../../../src/events/list/text-bytes.ts';

const bytesOf = ([beginning = '', ...pieces]: readonly string[]) => {
  const bytes = createTextBytes(Buffer.from(beginning));
  for (const piece of pieces) bytes.write(piece);
  return bytes;
};

test('pieces are the bytes of the joined text, whatever texts are written meanwhile', () => {
  const piece = fc.string({ unit: 'grapheme', maxLength: 50 });
  const long = fc.tuple(piece, fc.integer({ min: 1, max: 3_000 })).map(([text, times]) => text.repeat(times));
  const texts = fc.array(fc.array(fc.oneof(piece, long), { maxLength: 20 }), { maxLength: 12 });
  fc.assert(
    fc.property(texts, (all) => {
      const open = all.map(bytesOf);
      const lengths = open.map(({ length }) => length);
      const taken = open.map((bytes) => bytes.take());
      expect(taken.map(({ byteLength }) => byteLength)).toEqual(lengths);
      // Buffers of the first texts serve these.
      const reusing = all.toReversed().map(bytesOf);
      for (const bytes of open) bytes.write('late');
      const later = reusing.map((bytes) => bytes.take());
      const expected = all.map((pieces) => pieces.join(''));
      const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      expect(taken.map(decode)).toEqual(expected);
      expect(later.map(decode)).toEqual(expected.toReversed());
    }),
    { numRuns: 100 },
  );
});
