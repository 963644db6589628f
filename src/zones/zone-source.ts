/**
 * Where the offsets of time zones come from. A source may be slow: `createZones` asks it about five hundred times for
 * each zone and span of two years, and keeps the answers.
 */
export interface ZoneSource {
  /** The version of the tz data behind the answers, for instance `2026b`. */
  readonly version: string;
  /** The one name under which a zone and its aliases are known to this source, or undefined for a name it lacks. */
  canonicalName(name: string): string | undefined;
  /**
   * The offset of local time from UTC, in milliseconds, east positive, at an instant. `zone` is a canonical name. From the
   * year 2104 on the changes of a year have to depend on its kind alone (its first weekday, leap or not), and before 1800 there
   * must be none: instants of a year after 2132 or before 1800 are not asked for.
   */
  offsetAt(zone: string, epochMs: number): number;
}

// ICU knows these too, and reads BST as Dhaka and IST as Kolkata: names that the tz database does not have.
const IANA_THREE_LETTERS = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

function isIanaShaped(name: string): boolean {
  if (name.length === 3) return IANA_THREE_LETTERS.has(name.toUpperCase());
  return /^[A-Za-z]/.test(name) && !/^systemv\//i.test(name);
}

/** The zone source that reads the runtime's own tz data through `Intl`. */
export function createIntlSource(version: string): ZoneSource {
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
    version,
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

/** The offset in a text that ends in `GMT`, `GMT+05:30` or `GMT-04:56:02`. */
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
