import { compileSeries, parseRecurrence, type Series } from 'kalends/recurrence';

/** Start of a series as the rules read it. */
export interface ExpansionStart {
  /** `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM:SS` in `timeZone`. */
  readonly dtstart: string;
  readonly timeZone: string | null;
}

/**
 * Compiles a series as Google expands it, where that differs from RFC 5545:
 *
 * - `FREQ=YEARLY;BYMONTHDAY=…` without BYMONTH is once a year, in the month of the start (gcal_sync#179,
 *   home-assistant/core#85373, MagicMirror#2547);
 * - a start that the rule does not produce is an occurrence, which COUNT does not count (google-api-nodejs-client#2214,
 *   rust-rrule#119), unless the UNTIL of the rule is before it (sabre-io/vobject#371);
 * - an EXDATE that is a date has no effect on a timed series (stackoverflow.com/q/25171709).
 */
export function compileAtGoogle({ dtstart, timeZone }: ExpansionStart, recurrence: readonly string[]): Series {
  const isAllDay = !dtstart.includes('T');
  const month = Number(dtstart.slice(5, 7));
  const lines = recurrence.map((line) => inMonthOfStart(line, month)).filter((line) => isAllDay || !isDateOnly(line));
  const rules = lines.filter((line) => /^RRULE/i.test(line));
  const produces = (some: readonly string[]) => {
    const ruled = compileSeries({ dtstart, timeZone, lines: some });
    return ruled.has(ruled.dtstartMs);
  };
  const hasEnded = rules.every((rule) => {
    const [, until] = /[:;](UNTIL=[^;]+)/i.exec(rule) ?? [];
    return until !== undefined && !produces([`RRULE:FREQ=DAILY;${until}`]);
  });
  const withStart = hasEnded || produces(rules) ? lines : [...lines, `RDATE:${dtstart.replaceAll(/[-:]/g, '')}`];
  return compileSeries({ dtstart, timeZone, lines: withStart });
}

function inMonthOfStart(line: string, month: number): string {
  const isMeant = /FREQ=YEARLY/i.test(line) && /BYMONTHDAY=/i.test(line) && !/BYMONTH=/i.test(line);
  return isMeant ? `${line};BYMONTH=${month}` : line;
}

function isDateOnly(line: string): boolean {
  const { exceptionDates } = parseRecurrence([line]);
  return exceptionDates.length > 0 && exceptionDates.every(({ time }) => time.form === 'date');
}
