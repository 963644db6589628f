import { nextTurn } from './next-turn.ts';

/** Decoding so much takes a few milliseconds. */
const BYTES_PER_TURN = 1_000_000;

/**
 * Resolves with the body of an answer as text, like `response.text()`, but decodes a long one in parts, each in a turn of
 * its own of the event loop.
 */
export async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let decoded = 0;
  for await (const chunk of response.body) {
    parts.push(decoder.decode(chunk, { stream: true }));
    decoded += chunk.byteLength;
    if (decoded < BYTES_PER_TURN) continue;
    decoded = 0;
    await nextTurn();
  }
  return parts.join('') + decoder.decode();
}
