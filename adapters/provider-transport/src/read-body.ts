import { nextTurn } from 'kalends/runtime';

/** Decoding this many bytes takes a few milliseconds. */
const BYTES_PER_TURN = 1_000_000;

/** Signals a body that is longer than its bound. */
export class BodyTooLongError extends Error {}

/**
 * Resolves with a body as text, as `response.text()` does, but decodes a long one in parts, each in its own turn of the
 * event loop. Counts bytes after decompression: a small answer may inflate a thousandfold.
 * @throws BodyTooLongError as soon as the body exceeds `maxBytes`; the rest is not read
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const chunk of chunksOf(response, maxBytes)) parts.push(decoder.decode(chunk, { stream: true }));
  return parts.join('') + decoder.decode();
}

/**
 * Resolves with a body as it is, under the same bound, for texts that may be in another charset.
 * @throws BodyTooLongError
 */
export async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(response, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* chunksOf({ body }: Response, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  let total = 0;
  let sinceTurn = 0;
  for await (const chunk of body) {
    total += chunk.byteLength;
    if (total > maxBytes) throw new BodyTooLongError(`The body has more than ${maxBytes} bytes.`);
    yield chunk;
    sinceTurn += chunk.byteLength;
    if (sinceTurn < BYTES_PER_TURN) continue;
    sinceTurn = 0;
    await nextTurn();
  }
}
