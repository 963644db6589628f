/** Takes out the folds within characters of a UTF-8 text that comes in parts. */
export interface FoldMender {
  /** Takes the next part; returns what is certain of the text. */
  add(part: Uint8Array): Uint8Array;
  /** Returns the rest. */
  end(): Uint8Array;
}

/** Most carriage returns before a line feed: one as RFC 5545 has it, more where a program has written each line end twice. */
const MOST_RETURNS = 8;
const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * Creates a mender. Some programs fold after 75 octets, whatever is there, and the halves of a character are no UTF-8 (RFC 5545 §3.1 asks readers
 * to restore it). No character of UTF-8 begins with the octets that continue one, so that nothing else looks like such a fold.
 */
export function createFoldMender(): FoldMender {
  let held: Uint8Array = new Uint8Array();
  return {
    add(part) {
      const bytes = held.length === 0 ? part : Buffer.concat([held, part]);
      const end = openFold(bytes);
      held = bytes.slice(end);
      return mended(bytes.subarray(0, end));
    },
    end: () => held,
  };
}

/** Returns where a fold begins whose next octet is not there yet; the end without one. */
function openFold(bytes: Uint8Array): number {
  let at = bytes.length;
  if (isWhite(bytes[at - 1]) && bytes[at - 2] === LF) at -= 1;
  if (bytes[at - 1] === LF) at -= 1;
  return beforeReturns(bytes, at);
}

function beforeReturns(bytes: Uint8Array, end: number): number {
  let at = end;
  while (end - at < MOST_RETURNS && bytes[at - 1] === CR) at -= 1;
  return at;
}

function mended(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (!isWhite(bytes[at + 1]) || !isContinuation(bytes[at + 2])) continue;
    kept.push(bytes.subarray(from, beforeReturns(bytes, at)));
    from = at + 2;
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
}

function isWhite(octet: number | undefined): boolean {
  return octet === SPACE || octet === TAB;
}

function isContinuation(octet = 0): boolean {
  return octet >= 0x80 && octet < 0xc0;
}
