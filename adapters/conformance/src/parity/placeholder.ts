/** Name of a replaced value, such as `~id.3~`: URL-safe, and found in no interface's own words. */
export function placeholder(kind: string, number: number): string {
  return `~${kind}.${number}~`;
}

/** Root of the links into the interface; a replay puts that of its requests in the place. */
export const INTERFACE_ROOT = 'https://interface.invalid/';

/** Matches every placeholder in a text. */
export const PLACEHOLDER = /~[A-Za-z]+\.\d+~/g;
