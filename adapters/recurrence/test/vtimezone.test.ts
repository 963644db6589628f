import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sizeOf } from '../../../test/size-of.ts';
import { parseRecurrence } from '../src/index.ts';

const CUSTOM = 'tzone://Microsoft/Custom';

/** Observances: kind, first onset, offset before and after, other lines. */
type Observance = readonly [kind: string, start: string, from: string, to: string, ...lines: string[]];

function definition(tzid: string, ...observances: readonly Observance[]): string {
  const lines = observances.flatMap(([kind, start, from, to, ...more]) => [
    `BEGIN:${kind}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    ...more,
    `END:${kind}`,
  ]);
  return ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...lines, 'END:VTIMEZONE'].join('\n');
}

const NEW_YORK = definition(
  CUSTOM,
  ['STANDARD', '19671029T020000', '-0400', '-0500', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z'],
  ['DAYLIGHT', '19870405T020000', '-0500', '-0400', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z'],
  ['DAYLIGHT', '20070311T020000', '-0500', '-0400', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU'],
  ['STANDARD', '20071104T020000', '-0400', '-0500', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU'],
);
const LORD_HOWE = definition(
  CUSTOM,
  ['STANDARD', '20080406T020000', '+1100', '+1030', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU'],
  ['DAYLIGHT', '20081005T020000', '+1030', '+1100', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=1SU'],
);
/** As Outlook writes it: the first onset is a day that the rule does not produce. */
const BERLIN = definition(
  CUSTOM,
  ['STANDARD', '16010101T030000', '+0200', '+0100', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10'],
  ['DAYLIGHT', '16010101T020000', '+0100', '+0200', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'],
);

test.each([
  ['Head office, Berlin', 'TZID:Head office\\, Berlin'],
  ['A;B', 'TZID:A\\;B'],
])('a name with separators is found by its definition: %s', (tzid, line) => {
  const text = `${BERLIN.replace(`TZID:${CUSTOM}`, line)}\nDTSTART;TZID="${tzid}":20260701T090000\nRRULE:FREQ=DAILY;COUNT=1`;
  const found = parseRecurrence(text);
  expect(found.as('iso').all()).toEqual(['2026-07-01T09:00:00+02:00']);
  expect(parseRecurrence(found.toString()).as('iso').all()).toEqual(found.as('iso').all());
});

const DAY_MS = 86_400_000;

test.each([
  ['America/New_York', NEW_YORK, 1988],
  ['Australia/Lord_Howe', LORD_HOWE, 2009],
  ['Europe/Berlin', BERLIN, 1998],
])('a definition has the instants that Intl gives for %s', (zone, written, firstYear) => {
  const days = fc.integer({ min: 0, max: (2080 - firstYear) * 365 });
  const minutes = fc.integer({ min: 0, max: 288 }).map((five) => five * 5);
  fc.assert(
    fc.property(days, minutes, (day, minute) => {
      const start = new Date(Date.UTC(firstYear, 0, 1) + day * DAY_MS + minute * 60_000).toISOString();
      const stamp = start.slice(0, 19).replaceAll(/[-:]/g, '');
      const rule = 'RRULE:FREQ=DAILY;COUNT=40';
      const defined = parseRecurrence(`${written}\nDTSTART;TZID=${CUSTOM}:${stamp}\n${rule}`);
      const known = parseRecurrence(`DTSTART;TZID=${zone}:${stamp}\n${rule}`);
      expect(defined.as('iso').all()).toEqual(known.as('iso').all());
    }),
    { numRuns: sizeOf('definitions', { short: 150, long: 2_000 }) },
  );
});

test('a zone of its own: an offset of 20 minutes, changes by RDATE, times before the first', () => {
  const own = definition(
    'Camp',
    ['STANDARD', '20260301T000000', '+0020', '+0120', 'RDATE:20260401T000000'],
    ['DAYLIGHT', '20260315T000000', '+0120', '+0020'],
  );
  const text = `${own}\nDTSTART;TZID=Camp:20260228T120000\nRRULE:FREQ=DAILY;BYMONTHDAY=28,2,16;COUNT=4`;
  expect(parseRecurrence(text).as('iso').all()).toEqual([
    '2026-02-28T12:00:00+00:20',
    '2026-03-02T12:00:00+01:20',
    '2026-03-16T12:00:00+00:20',
    '2026-03-28T12:00:00+00:20',
  ]);
});

test('a zone without changes, as Outlook writes it: since 1601', () => {
  const fixed = definition('Customized Time Zone', ['STANDARD', '16010101T000000', '+0530', '+0545']);
  const text = `${fixed}\nDTSTART;TZID=Customized Time Zone:20260701T090000\nRRULE:FREQ=DAILY;COUNT=1`;
  expect(parseRecurrence(text).as('iso').all()).toEqual(['2026-07-01T09:00:00+05:45']);
});

describe('a definition', () => {
  const use = (written: string, tzid = CUSTOM) =>
    parseRecurrence(`${written}\nDTSTART;TZID=${tzid}:20260701T090000\nRRULE:FREQ=DAILY;COUNT=2`);

  it('yields to the IANA name of its TZID or X-LIC-LOCATION, whose data is newer', () => {
    const located = definition('Work', ['STANDARD', '19700101T000000', '+0000', '+0500']).replace(
      'TZID:Work',
      'TZID:Work\nX-LIC-LOCATION:Asia/Tokyo',
    );
    expect(use(located, 'Work').timeZone).toBe('Asia/Tokyo');
    expect(
      use(definition('Asia/Tokyo', ['STANDARD', '19700101T000000', '+0000', '+0500']), 'Asia/Tokyo')
        .as('iso')
        .first(),
    ).toBe('2026-07-01T09:00:00+09:00');
  });

  it('is part of the text of the recurrence, which is read back', () => {
    const given = use(BERLIN);
    expect(given.timeZone).toBe(CUSTOM);
    expect(String(given)).toContain(BERLIN);
    expect(parseRecurrence(String(given)).as('iso').all()).toEqual(given.as('iso').all());
  });

  it.each([
    [definition(CUSTOM), 'has neither STANDARD nor DAYLIGHT'],
    [definition(CUSTOM, ['STANDARD', '19700101T000000', '+0000', 'one']), 'has a TZOFFSETTO that is no offset: "one"'],
    [definition(CUSTOM, ['STANDARD', 'soon', '+0000', '+0100']), 'has a DTSTART that is no local time: "soon"'],
    [
      definition(CUSTOM, ['STANDARD', '19700101T000000', '+0000', '+0100', 'RRULE:FREQ=HOURLY']),
      'changes more than 1000 times',
    ],
    [
      definition(
        CUSTOM,
        ['DAYLIGHT', '20261101T020000', '+0100', '+0200'],
        ['STANDARD', '20261102T110000', '+0200', '+0100'],
      ),
      'changes its offset twice within 2 days',
    ],
    [
      definition(
        CUSTOM,
        ['DAYLIGHT', '20401101T020000', '+0100', '+0200'],
        ['STANDARD', '20401106T110000', '+0200', '+0100'],
      ),
      'changes its offset twice within 6 days',
    ],
    [definition(CUSTOM, ['STANDARD', '21500101T000000', '+0000', '+0100']), 'has no observance that ever begins'],
  ])('%#: is refused where it cannot be read', (written, rule) => {
    expect(() => use(written)).toThrow(`VTIMEZONE: "${CUSTOM}" ${rule}`);
  });

  it('that no time needs is not read', () => {
    expect(use(definition(CUSTOM), 'Asia/Tokyo').timeZone).toBe('Asia/Tokyo');
  });
});
