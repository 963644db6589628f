import { printZone, readComponents } from 'kalends/icalendar';
import { createIcsZones, intlZones, offsetAt } from 'kalends/zones';
import { describe, expect, it } from 'vitest';

const NAME = 'tzone://Microsoft/Custom';

type Change = readonly [kind: 'STANDARD' | 'DAYLIGHT', from: string, to: string, start: string, ...lines: string[]];

/** Prints a calendar whose one zone has a name that says nothing. */
function calendarWith(...changes: readonly Change[]): string {
  const observances = changes.flatMap(([kind, from, to, start, ...lines]) => [
    `BEGIN:${kind}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    ...lines,
    `END:${kind}`,
  ]);
  const zone = ['BEGIN:VTIMEZONE', `TZID:${NAME}`, ...observances, 'END:VTIMEZONE'];
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...zone, 'END:VCALENDAR', ''].join('\r\n');
}

function zoneOf(text: string, givenZone = 'UTC'): string {
  const [calendar] = readComponents(text).components;
  if (calendar === undefined) throw new Error('there is no calendar');
  return createIcsZones(calendar, () => {}, givenZone).resolve(NAME);
}

/** Changes as Microsoft's programs write them: rules from the year 1601 on. */
const yearly = (kind: Change[0], [from, to]: readonly [string, string], time: string, rule: string): Change => [
  kind,
  from,
  to,
  `16010101T${time}`,
  `RRULE:FREQ=YEARLY;${rule}`,
];

const EU = (standard: string, summer: string, spring: string, autumn: string) =>
  calendarWith(
    yearly('STANDARD', [summer, standard], autumn, 'BYDAY=-1SU;BYMONTH=10'),
    yearly('DAYLIGHT', [standard, summer], spring, 'BYDAY=-1SU;BYMONTH=3'),
  );

const US = (standard: string, summer: string) =>
  calendarWith(
    yearly('STANDARD', [summer, standard], '020000', 'BYDAY=1SU;BYMONTH=11'),
    yearly('DAYLIGHT', [standard, summer], '020000', 'BYDAY=2SU;BYMONTH=3'),
  );

describe('a zone that only its VTIMEZONE explains', () => {
  it.each([
    ['Europe/London', EU('+0000', '+0100', '010000', '020000')],
    ['Europe/Berlin', EU('+0100', '+0200', '020000', '030000')],
    ['Europe/Athens', EU('+0200', '+0300', '030000', '040000')],
    ['America/New_York', US('-0500', '-0400')],
    ['America/Chicago', US('-0600', '-0500')],
    ['America/Los_Angeles', US('-0800', '-0700')],
  ])('is the well-known %s where its changes are', (zone, text) => {
    expect(zoneOf(text)).toBe(zone);
  });

  it.each([
    // The same offsets in winter and summer as Athens, with changes on other days.
    ['Africa/Cairo', ['+0200', '+0300'], ['000000', 'BYDAY=-1FR;BYMONTH=4'], ['240000', 'BYDAY=-1TH;BYMONTH=10']],
    ['Asia/Beirut', ['+0200', '+0300'], ['000000', 'BYDAY=-1SU;BYMONTH=3'], ['000000', 'BYDAY=-1SU;BYMONTH=10']],
    [
      'Asia/Jerusalem',
      ['+0200', '+0300'],
      ['020000', 'BYMONTHDAY=23,24,25,26,27,28,29;BYDAY=FR;BYMONTH=3'],
      ['020000', 'BYDAY=-1SU;BYMONTH=10'],
    ],
  ] as const)('is %s, told by the days of its changes', (zone, [standard, summer], spring, autumn) => {
    const text = calendarWith(
      yearly('STANDARD', [summer, standard], autumn[0], autumn[1]),
      yearly('DAYLIGHT', [standard, summer], spring[0], spring[1]),
    );
    expect(zoneOf(text)).toBe(zone);
  });

  it('is told by the changes of one year alone', () => {
    const text = calendarWith(
      ['STANDARD', '+0300', '+0200', '20251026T040000'],
      ['DAYLIGHT', '+0200', '+0300', '20260329T030000'],
    );
    expect(zoneOf(text)).toBe('Europe/Athens');
  });

  it('is told by dates, by a rule with BYSETPOS and by one that has ended', () => {
    const text = calendarWith(
      [
        'STANDARD',
        '+0300',
        '+0200',
        '20241027T040000',
        'RDATE:20251026T040000',
        'RDATE:20261025T040000,20271031T040000',
      ],
      [
        'DAYLIGHT',
        '+0200',
        '+0300',
        '20200329T030000',
        'RRULE:FREQ=YEARLY;BYDAY=SU;BYSETPOS=-1;BYMONTH=3;UNTIL=20270401T000000Z',
      ],
    );
    expect(zoneOf(text)).toBe('Europe/Athens');
  });

  it('is the zone of the calendar where that has the same changes, and not where it has others', () => {
    const text = EU('+0200', '+0300', '030000', '040000');
    expect(zoneOf(text, 'Europe/Helsinki')).toBe('Europe/Helsinki');
    expect(zoneOf(text, 'Africa/Cairo')).toBe('Europe/Athens');
  });

  it('is the nearest where its changes are those of no zone', () => {
    const text = calendarWith(
      yearly('STANDARD', ['+0300', '+0200'], '040000', 'BYDAY=-1SU;BYMONTH=10'),
      yearly('DAYLIGHT', ['+0200', '+0300'], '030000', 'BYDAY=2WE;BYMONTH=3'),
    );
    expect(zoneOf(text)).toBe('Europe/Athens');
  });
});

const SPAN = [Date.UTC(2026, 0, 1), Date.UTC(2033, 11, 31)] as const;

function changesOf(zone: string): readonly string[] {
  const table = intlZones.tableOf(zone);
  const changes: string[] = [];
  for (let span = table.spanAt(SPAN[0]); span.toMs < SPAN[1]; span = table.spanAt(span.toMs)) {
    const offset = offsetAt(zone, span.toMs);
    if (offset !== span.offsetMs) changes.push(`${new Date(span.toMs).toISOString()} ${offset}`);
  }
  return changes;
}

// Morocco changes with the moon, by no yearly rule.
const RULED = Intl.supportedValuesOf('timeZone').filter(
  (zone) => changesOf(zone).length > 0 && !['Africa/Casablanca', 'Africa/El_Aaiun'].includes(zone),
);
/** One zone of each kind of changes. */
const KINDS = [...new Map(RULED.map((zone) => [changesOf(zone).join(), zone])).values()];

it('finds kinds of changes of which there are many', () => {
  expect(KINDS.length).toBeGreaterThan(20);
});

it.each(KINDS)('reads the definition of %s under another name as a zone with the same changes', (zone) => {
  const text = printZone(zone).replace(/^TZID:.*$/m, `TZID:${NAME}`);
  expect(changesOf(zoneOf(text))).toEqual(changesOf(zone));
});

it.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['US/EASTERN', 'US/Eastern'],
  ['/mozilla.org/20070129_1/europe/paris', 'Europe/Paris'],
  ['Utc', 'UTC'],
])('reads %s, as the name of a zone and of the calendar, as %s', (name, zone) => {
  const [calendar] = readComponents(`BEGIN:VCALENDAR\r\nX-WR-TIMEZONE:${name}\r\nEND:VCALENDAR\r\n`).components;
  if (calendar === undefined) throw new Error('there is no calendar');
  const zones = createIcsZones(calendar, () => {});
  expect([zones.calendarZone, zones.resolve(name)]).toEqual([zone, zone]);
});
