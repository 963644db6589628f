import fc from 'fast-check';
import ICAL from 'ical.js';
import { readCalendars } from 'kalends/icalendar';
import { recurrenceIdText } from 'kalends/recurrence';
import { expect, test } from 'vitest';

// The oracle: ical.js, which looks the change of a slot up when it is asked for that slot. We write the changes out when we read.

const FIRST = Date.UTC(2026, 2, 2, 9);
const HOUR_MS = 3_600_000;
const COUNT = 8;
const WEEK_MS = 7 * 24 * HOUR_MS;

const change = fc.record({
  slot: fc.nat(COUNT - 1),
  isFollowing: fc.boolean(),
  movedByHours: fc.integer({ min: -30, max: 30 }),
  hours: fc.integer({ min: 1, max: 50 }),
});
const series = fc.record({
  changes: fc.uniqueArray(change, { maxLength: 5, selector: ({ slot }) => slot }),
  excluded: fc.uniqueArray(fc.nat(COUNT - 1), { maxLength: 3 }),
});

const stamp = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
const slotAt = (index: number) => FIRST + index * WEEK_MS;

type Series = typeof series extends fc.Arbitrary<infer Value> ? Value : never;

function textOf({ changes, excluded }: Series): string {
  const event = (...lines: readonly string[]) => [
    'BEGIN:VEVENT',
    'UID:u',
    'DTSTAMP:20260101T000000Z',
    ...lines,
    'END:VEVENT',
  ];
  const times = (start: number, hours: number) => [
    `DTSTART:${stamp(start)}`,
    `DTEND:${stamp(start + hours * HOUR_MS)}`,
  ];
  const master = event(
    'SUMMARY:series',
    ...times(FIRST, 1),
    `RRULE:FREQ=WEEKLY;COUNT=${COUNT}`,
    ...excluded.map((index) => `EXDATE:${stamp(slotAt(index))}`),
  );
  const changed = changes.flatMap(({ slot, isFollowing, movedByHours, hours }) =>
    event(
      `RECURRENCE-ID${isFollowing ? ';RANGE=THISANDFUTURE' : ''}:${stamp(slotAt(slot))}`,
      `SUMMARY:${isFollowing ? 'from' : 'only'} ${slot}`,
      ...times(slotAt(slot) + movedByHours * HOUR_MS, hours),
    ),
  );
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', ...master, ...changed, 'END:VCALENDAR', ''].join('\r\n');
}

/** Title, start and end of each slot that the series has, as ical.js tells them. */
function bySlot(text: string): ReadonlyMap<string, string> {
  const components = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  const [master, ...exceptions] = components;
  if (master === undefined) throw new Error('the text has no event');
  const event = new ICAL.Event(master, { exceptions });
  const slots = new Map<string, string>();
  const iterator = event.iterator();
  for (let slot = iterator.next(); slot; slot = iterator.next()) {
    const { item, startDate, endDate } = event.getOccurrenceDetails(slot);
    const times = [startDate, endDate].map((time) => time.toJSDate().toISOString());
    slots.set(stamp(slot.toJSDate().getTime()), [item.summary, ...times].join(' '));
  }
  return slots;
}

test('changes of following occurrences are those that ical.js finds for each slot', () => {
  let compared = 0;
  fc.assert(
    fc.property(series, (given) => {
      const text = textOf(given);
      const [group] = readCalendars(text, { calendarZone: 'UTC' })[0]?.groups ?? [];
      const changed = new Map(
        group?.exceptions.map(({ recurrenceId, content }) => [
          recurrenceId === null ? '' : recurrenceIdText(recurrenceId),
          content === null
            ? 'cancelled'
            : [content.title, ...[content.start, content.end].map(({ dateTime }) => instantOf(dateTime))].join(' '),
        ]),
      );
      for (const [slot, expected] of bySlot(text)) {
        const startMs = Date.parse(isoOf(slot));
        const plain = ['series', ...[startMs, startMs + HOUR_MS].map((ms) => new Date(ms).toISOString())].join(' ');
        expect(changed.get(slot) ?? plain).toBe(expected);
        compared += 1;
      }
    }),
    { numRuns: 150 },
  );
  expect(compared).toBeGreaterThan(500);
});

const instantOf = (dateTime: string | undefined) => new Date(dateTime ?? Number.NaN).toISOString();
const isoOf = (slot: string) => slot.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
