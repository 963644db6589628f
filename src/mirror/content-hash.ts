import { createHash } from 'node:crypto';

/** Serializes a value as JSON with sorted keys and without undefined members: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  // Faster for the thousands of lines of a long recurrence.
  if (Array.isArray(value) && value.every(isText)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Hashes a value's canonical JSON with SHA-256, cut to 22 URL-safe characters (132 bits). */
export function contentHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 22);
}
