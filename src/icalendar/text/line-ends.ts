const USUAL = /\r+\n?|\n/g;
const WITH_SEPARATORS = /\r+\n?|\n|\u2028/g;

/**
 * Returns the ends of lines of a text by its beginning, undefined while that has none. RFC 5545 §3.1 has CRLF alone; CR and LF by themselves are taken as well,
 * and CRs before an LF as one end: a program that writes CRLF as text on Windows makes CRCRLF of it.
 * U+2028 is a character like any other, which people paste into titles, except in a text whose first line ends in it.
 */
export function lineEndsOf(beginning: string): RegExp | undefined {
  const first = /[\r\n\u2028]/.exec(beginning.trimStart());
  if (first === null) return undefined;
  return first[0] === '\u2028' ? WITH_SEPARATORS : USUAL;
}
