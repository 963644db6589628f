/** Matches escapes of U+0000 and of surrogates. False positives (an escaped backslash before one) only cost time. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

/**
 * Parses JSON from outside. Drops U+0000 from strings and keys (PostgreSQL refuses it) and replaces a lone surrogate with
 * U+FFFD (UTF-8 cannot encode it).
 * @throws SyntaxError for a text that is not JSON
 */
export function readJson(text: string): unknown {
  return SUSPECT.test(text) ? JSON.parse(text, cleaned) : JSON.parse(text);
}

function cleaned(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (entries.every(([name]) => cleanText(name) === name)) return value;
  return Object.fromEntries(entries.map(([name, member]) => [cleanText(name), member]));
}

function cleanText(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
}
