import { ICalendarError } from '../icalendar-error.ts';

/**
 * Returns the text of an iCalendar file: UTF-8, or UTF-16 with a byte order mark.
 * @throws ICalendarError for any other charset: RFC 5545 §3.1.4 has none, and a guess would garble names
 */
export function decodeText(bytes: Uint8Array): string {
  const charset = charsetOf(bytes);
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    throw wrongCharset();
  }
}

/** The error of a text in another charset. */
export function wrongCharset(): ICalendarError {
  return new ICalendarError('charset', 'the text must be UTF-8, or UTF-16 with a byte order mark');
}

/** Returns the charset that the first two bytes name. */
export function charsetOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
