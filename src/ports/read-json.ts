/** Escapes of U+0000 and of surrogates, which come in pairs or alone; an escaped backslash before them does no harm here. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

/**
 * The value of a JSON text that comes from outside. U+0000 is left out of texts and names and a lone surrogate becomes
 * U+FFFD: PostgreSQL refuses the one, UTF-8 has no form for the other, and nobody may send them back to us.
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
