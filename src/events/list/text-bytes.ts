/** Bytes of a text that is written piece by piece. */
export interface TextBytes {
  /** Appends a piece. A pair of surrogates must not be divided between two. */
  write(piece: string): void;
  /** Number of bytes so far. */
  readonly length: number;
  /** Returns all bytes, and makes the text empty. */
  take(): Uint8Array<ArrayBuffer>;
}

const FIRST_BYTES = 2 ** 16;
/** Buffers that wait for the next text: as many as pages are written at once. Larger ones are not kept. */
const KEPT = { count: 8, bytes: 2 ** 20 };
const kept: Buffer<ArrayBuffer>[] = [];
const NO_BYTES = Buffer.alloc(0);

/**
 * Creates a text that begins with some bytes. Each piece becomes bytes by itself, in a buffer that served other texts before: a joined
 * text of 280 kB would be copied once more and collected, a twelfth of the CPU of a page.
 */
export function createTextBytes(beginning: Uint8Array = new Uint8Array()): TextBytes {
  let buffer = kept.pop() ?? Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;
  const makeRoomFor = (bytes: number) => {
    const needed = length + bytes;
    if (needed <= buffer.byteLength) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, buffer.byteLength * 2));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  };
  makeRoomFor(beginning.byteLength);
  buffer.set(beginning);
  length = beginning.byteLength;
  return {
    write(piece) {
      // In UTF-8 no unit of UTF-16 takes more than three bytes.
      makeRoomFor(piece.length * 3);
      length += buffer.write(piece, length);
    },
    get length() {
      return length;
    },
    take() {
      const bytes = new Uint8Array(buffer.subarray(0, length));
      if (kept.length < KEPT.count && buffer.byteLength <= KEPT.bytes) kept.push(buffer);
      // The buffer is another text's from here on.
      buffer = NO_BYTES;
      length = 0;
      return bytes;
    },
  };
}
