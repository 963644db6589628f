/** Name of a replaced value, such as `~id.3~`: URL-safe, and found in no interface's own words. */
export function placeholder(kind: string, number: number): string {
  return `~${kind}.${number}~`;
}

/** Matches every placeholder in a text. */
export const PLACEHOLDER = /~[A-Za-z]{1,40}\.\d{1,9}~/g;
