import { ICalendarError } from '../icalendar-error.ts';
import { createFoldMender } from './fold-mender.ts';

/** Charset of a text, and how strictly it is held to it. */
export interface DecodeOptions {
  /** The charset that the Content-Type of the text names, if it is one of the Encoding Standard. @default UTF-8 */
  readonly charset?: string | undefined;
  /**
   * Whether a UTF-8 text with damaged characters is read, with U+FFFD in place of each. One without a single whole character beyond ASCII
   * is in another charset, and refused. @default false
   */
  readonly keepsDamaged?: boolean;
}

/**
 * Returns the text of an iCalendar file: UTF-8 or UTF-16 where its first bytes say so, else in the charset that is named, else UTF-8, folded within
 * characters or not.
 * @throws ICalendarError for any other charset: a guess would garble names
 */
export function decodeText(bytes: Uint8Array, { charset, keepsDamaged = false }: DecodeOptions = {}): string {
  const encoding = charsetOf(bytes, charset);
  const whole = encoding === 'utf-8' ? unfoldedCharacters(bytes) : bytes;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(whole);
  } catch {
    const text = keepsDamaged && encoding === 'utf-8' ? new TextDecoder(encoding).decode(whole) : '';
    if (/[\u0080-\ufffc]/.test(text)) return text;
    throw wrongCharset();
  }
}

/** The error of a text in another charset. */
export function wrongCharset(): ICalendarError {
  return new ICalendarError('charset', 'the text must be UTF-8 or UTF-16');
}

/**
 * Returns the charset of a text by its first four bytes: that of a byte order mark, else the one that is given, else UTF-8. Servers name UTF-8, and
 * UTF-16 without its byte order, for any text: then, as without a name, NULs beside the first two letters tell UTF-16, since a calendar begins in ASCII.
 * @throws ICalendarError for the NULs of UTF-32
 */
export function charsetOf(bytes: Uint8Array, charset?: string): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const named = encodingOf(charset ?? '') ?? 'utf-8';
  if (named !== 'utf-8' && named !== 'utf-16le') return named;
  const nuls = Array.from(bytes.subarray(0, 4), (byte) => (byte === 0 ? '0' : 'x')).join('');
  if (nuls === '000x' || nuls === 'x000') throw wrongCharset();
  if (nuls === 'x0x0') return 'utf-16le';
  return nuls === '0x0x' ? 'utf-16be' : named;
}

/** Returns the encoding of a label, for instance `windows-1252` of `iso-8859-1`; undefined for one that the Encoding Standard does not have. */
export function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function unfoldedCharacters(bytes: Uint8Array): Uint8Array {
  const mender = createFoldMender();
  const whole = mender.add(bytes);
  const rest = mender.end();
  return rest.length === 0 ? whole : Buffer.concat([whole, rest]);
}
