/**
 * Source of time zone offsets. It may be slow: `createZones` calls it about five hundred times for each zone and span of
 * two years, and caches the results.
 */
export interface ZoneSource {
  /** Returns the common name of a zone and its aliases, or undefined for an unknown name. */
  canonicalName(name: string): string | undefined;
  /**
   * Returns the offset of local time from UTC at an instant, in milliseconds, east positive. `zone` is a canonical name. From
   * 2104 on the changes of a year must depend only on its kind (first weekday, leap year or not), and before 1800 there must
   * be none: it is never called for instants before 1800 or after 2132.
   */
  offsetAt(zone: string, epochMs: number): number;
}

// ICU accepts other three-letter names, which the tz database lacks, and reads BST as Dhaka and IST as Kolkata.
const IANA_THREE_LETTERS = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

function isIanaShaped(name: string): boolean {
  if (name.length === 3) return IANA_THREE_LETTERS.has(name.toUpperCase());
  return /^[A-Za-z]/.test(name) && !/^systemv\//i.test(name);
}

/** Creates a source over the runtime's own tz data in `Intl`. */
export function createIntlSource(): ZoneSource {
  const formats = new Map<string, Intl.DateTimeFormat>();

  function formatOf(zone: string): Intl.DateTimeFormat {
    let format = formats.get(zone);
    if (format === undefined) {
      format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' });
      formats.set(zone, format);
    }
    return format;
  }

  return {
    canonicalName(name) {
      if (!isIanaShaped(name)) return undefined;
      try {
        return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
      } catch (error) {
        if (error instanceof RangeError) return undefined;
        throw error;
      }
    },
    offsetAt: (zone, epochMs) => offsetIn(formatOf(zone).format(epochMs)),
  };
}

/** Parses the offset in a text that ends in `GMT`, `GMT+05:30` or `GMT-04:56:02`. */
function offsetIn(text: string): number {
  const at = text.lastIndexOf('GMT') + 3;
  if (at === text.length) return 0;
  const sign = text[at] === '-' ? -1 : 1;
  const [hours = 0, minutes = 0, seconds = 0] = text
    .slice(at + 1)
    .split(':')
    .map(Number);
  return sign * ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
