/*
 * Where the parts of a JSON text end. Scans look for quotes, brackets and commas only, and the parser rejects what is between
 * them and is not JSON. Each ends at `limit`, so that a long part costs no more than a short one.
 */

const [QUOTE, COMMA, BACKSLASH, LETTER_U] = [0x22, 0x2c, 0x5c, 0x75];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
/** A surrogate pair in escapes. */
const LONGEST_PAIR = 12;

/** Returns the position of the next character that is no white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** Returns the end of a member's value: the comma or closing bracket behind it. Undefined when that is not before `limit`. */
export function valueEnd(text: string, from: number, limit: number): number | undefined {
  for (const end of ends(text, from, limit)) return end;
  return undefined;
}

/** Returns the end of as many members of a list as end before `limit`; undefined when not even the first does. */
export function listEnd(text: string, from: number, limit: number): number | undefined {
  let last: number | undefined;
  for (const end of ends(text, from, limit)) last = end;
  return last;
}

/** Finds the commas of a list from inside it, and its closing bracket. */
function* ends(text: string, from: number, limit: number): Generator<number> {
  const bound = Math.min(limit, text.length);
  let depth = 0;
  for (let at = from; at < bound; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = closingQuote(text, at + 1, bound);
    else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) depth += 1;
    else if (unit === COMMA && depth === 0) yield at;
    else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) {
      if (depth === 0) {
        yield at;
        return;
      }
      depth -= 1;
    }
  }
}

function closingQuote(text: string, from: number, bound: number): number {
  let at = from;
  while (at < bound) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) break;
    at += unit === BACKSLASH ? 2 : 1;
  }
  return at;
}

/**
 * Returns where a piece of a string ends, from inside the string: at its closing quote, or near `limit` where neither an escape
 * nor a surrogate pair is torn.
 */
export function pieceEnd(text: string, from: number, limit: number): number {
  let isAfterLead = false;
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    if (at > limit - LONGEST_PAIR) {
      const unit = characterAt(text, at);
      if (at >= limit && !(isAfterLead && isTrail(unit))) return at;
      isAfterLead = isLead(unit);
    }
    at += unitLength(text, at);
  }
  return Math.min(at, text.length);
}

function unitLength(text: string, at: number): number {
  if (text.charCodeAt(at) !== BACKSLASH) return 1;
  return text.charCodeAt(at + 1) === LETTER_U ? 6 : 2;
}

/** Returns the UTF-16 code unit that the text has at a position, as itself or as an escape. */
function characterAt(text: string, at: number): number {
  return unitLength(text, at) === 6 ? Number.parseInt(text.slice(at + 2, at + 6), 16) : text.charCodeAt(at);
}

function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
