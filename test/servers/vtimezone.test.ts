import { printEvents } from 'kalends/icalendar';
import { compileSeries } from 'kalends/recurrence';
import { formatInstant } from 'kalends/zones';
import { expect, it } from 'vitest';
import { contentOf } from '../icalendar/event-contents.ts';
import { expandElsewhere } from './raw/expand.ts';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Jerusalem',
  'Europe/Moscow',
  'Asia/Kolkata',
];
const YEARS = [1995, 2026, 2034];
/** Python's icalendar works out the rules of a VTIMEZONE up to here; later years are ical.js's to judge, in test/icalendar. */
const UNTIL = '2038-01-01';
const RULE = 'RRULE:FREQ=DAILY;INTERVAL=29;COUNT=200';

function printed(zone: string, year: number): string {
  const at = (time: string) => ({ dateTime: `${year}-01-02T${time}:00`, timeZone: zone });
  const content = { ...contentOf(), start: at('12:00'), end: at('13:00'), recurrence: [RULE] };
  const group = { uid: 'u', master: { recurrenceId: null, isCancelled: false, content }, exceptions: [] };
  // Python has zones of its own, and takes the VTIMEZONE for a name that it does not know.
  return printEvents([group], { timeZone: 'UTC' }).replaceAll(zone, 'Elsewhere');
}

it.each(ZONES)('by the VTIMEZONE of %s, Python finds each occurrence until 2038', async (zone) => {
  for (const year of YEARS) {
    const found = await expandElsewhere({
      texts: [printed(zone, year)],
      from: `${year}0101T000000Z`,
      to: `${year + 17}0101T000000Z`,
      timeZone: 'UTC',
    });
    const series = compileSeries({ dtstart: `${year}-01-02T12:00:00`, timeZone: zone, lines: [RULE] });
    const span = { from: Date.UTC(year), to: Date.UTC(year + 17), limit: 500 };
    const expected = [...series.occurrences(span)].map(
      ({ startMs }) => `${formatInstant('UTC', startMs).slice(0, 19)}Z`,
    );
    expect(expected).toHaveLength(200);
    const judged = expected.filter((start) => start < UNTIL);
    expect(judged.length).toBeGreaterThan(48);
    expect(found.map(({ start }) => start).filter((start) => start < UNTIL)).toEqual(judged);
  }
});
