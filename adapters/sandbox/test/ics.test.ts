import { readIcs } from '@kalends/sandbox';
import { describe, expect, test } from 'vitest';

/** A calendar of own making, in the shapes that real programs write. */
function read(...lines: string[]) {
  const reading = readIcs(['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n'));
  const calendar = reading.calendars[0];
  if (calendar === undefined) throw new Error('no calendar');
  return { ...reading, calendar, events: calendar.events };
}

const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:u1', 'SUMMARY:S', ...lines, 'END:VEVENT'];

const WESTERN_EUROPE = (tzid: string) => [
  'BEGIN:VTIMEZONE',
  `TZID:${tzid}`,
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];

describe('zones', () => {
  test.each([
    ['TZID=Europe/Berlin', 'Europe/Berlin'],
    ['TZID=US/Central', 'US/Central'],
    ['TZID=W. Europe Standard Time', 'Europe/Berlin'],
    ['TZID="(UTC-05:00) Eastern Time (US & Canada)"', 'America/New_York'],
    ['TZID="(GMT+10:00) Canberra, Melbourne, Sydney"', 'Australia/Melbourne'],
    ['TZID=/mozilla.org/20070129_1/Europe/Paris', 'Europe/Paris'],
    ['TZID="(GMT +01:00)"', 'Etc/GMT-1'],
    ['TZID=tzone://Microsoft/Utc', 'UTC'],
    ['TZID=tzone://Microsoft/Custom', 'Asia/Tokyo'],
  ])('%s is %s', (parameter, zone) => {
    const { events } = read('X-WR-TIMEZONE:Asia/Tokyo', ...event(`DTSTART;${parameter}:20260301T090000`));
    expect(events[0]).toMatchObject({ dtstart: '2026-03-01T09:00:00', timeZone: zone });
  });

  test('a name that only its VTIMEZONE explains finds a zone with these offsets, the own one first', () => {
    const custom = 'tzone://Microsoft/Custom';
    const start = `DTSTART;TZID=${custom}:20260701T090000`;
    const own = read('X-WR-TIMEZONE:Europe/Rome', ...WESTERN_EUROPE(custom), ...event(start));
    expect(own.events[0]?.timeZone).toBe('Europe/Rome');
    const other = read('X-WR-TIMEZONE:Asia/Tokyo', ...WESTERN_EUROPE(custom), ...event(start));
    const zone = other.events[0]?.timeZone ?? '';
    const offset = (at: string) =>
      new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(new Date(at));
    expect([offset('2024-01-15'), offset('2024-07-15')]).toEqual([
      expect.stringContaining('GMT+01:00'),
      expect.stringContaining('GMT+02:00'),
    ]);
  });

  test('the calendar zone comes from X-WR-TIMEZONE, else from a VTIMEZONE, else it is UTC', () => {
    expect(read('X-WR-TIMEZONE:Europe/Kiev').calendar.timeZone).toBe('Europe/Kiev');
    expect(read(...WESTERN_EUROPE('Romance Standard Time')).calendar.timeZone).toBe('Europe/Paris');
    expect(read().calendar.timeZone).toBe('UTC');
  });

  test('UTC times stay UTC and times without a zone are floating', () => {
    expect(read(...event('DTSTART:20260301T090000Z')).events[0]?.timeZone).toBe('UTC');
    expect(read(...event('DTSTART:20260301T090000')).events[0]?.timeZone).toBeNull();
  });
});

describe('ends', () => {
  test.each([
    [['DTSTART;VALUE=DATE:20260301'], '2026-03-01', '2026-03-02'],
    [['DTSTART:20260301T090000'], '2026-03-01T09:00:00', '2026-03-01T09:00:00'],
    [['DTSTART:20260301T090000', 'DURATION:PT1H30M'], '2026-03-01T09:00:00', '2026-03-01T10:30:00'],
    [['DTSTART;VALUE=DATE:20260301', 'DURATION:P3D'], '2026-03-01', '2026-03-04'],
    [['DTSTART:20260301T090000', 'DTEND:20260228T090000'], '2026-03-01T09:00:00', '2026-03-01T09:00:00'],
    [['DTSTART;VALUE=DATE:20260301', 'DTEND;VALUE=DATE:20260301'], '2026-03-01', '2026-03-02'],
    // A program that declares DATE and writes a time means the time.
    [
      ['DTSTART;VALUE=DATE:20260301T180000', 'DTEND;VALUE=DATE:20260301T190000'],
      '2026-03-01T18:00:00',
      '2026-03-01T19:00:00',
    ],
    [
      ['DTSTART:20260301T000000', 'DTEND:20260302T000000', 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'],
      '2026-03-01',
      '2026-03-02',
    ],
    [
      ['DTSTART;TZID=Europe/London:20260301T090000', 'DTEND;TZID=America/New_York:20260301T050000'],
      '2026-03-01T09:00:00',
      '2026-03-01T10:00:00',
    ],
  ])('%j', (lines, dtstart, dtend) => {
    expect(read(...event(...lines)).events[0]).toMatchObject({ dtstart, dtend });
  });
});

describe('recurrence', () => {
  const lines = (...body: string[]) => read('X-WR-TIMEZONE:Europe/Berlin', ...event(...body)).events[0]?.recurrence;

  test('EXDATE with TZID, several values, folded', () => {
    expect(
      lines(
        'DTSTART;TZID=US/Central:20170216T090000',
        'RRULE:FREQ=WEEKLY;WKST=SU;UNTIL=20170814T045959Z;INTERVAL=2;BYDAY=MO,TH',
        'EXDATE;TZID=US/Central:20170302T090000,20170',
        ' 706T090000',
      ),
    ).toEqual([
      'RRULE:FREQ=WEEKLY;WKST=SU;UNTIL=20170814T045959Z;INTERVAL=2;BYDAY=MO,TH',
      'EXDATE:20170302T150000Z,20170706T140000Z',
    ]);
  });

  test.each([
    ['a local UNTIL', 'DTSTART;TZID=Europe/Berlin:20260301T090000', 'UNTIL=20260401T090000', 'UNTIL=20260401T070000Z'],
    ['a date UNTIL', 'DTSTART;TZID=Europe/Berlin:20260301T090000', 'UNTIL=20260401', 'UNTIL=20260401T215959Z'],
    ['an instant for an all-day series', 'DTSTART;VALUE=DATE:20260301', 'UNTIL=20260331T220000Z', 'UNTIL=20260401'],
  ])('%s is brought into the form of the start', (_name, start, written, expected) => {
    expect(lines(start, `RRULE:FREQ=DAILY;${written}`)).toEqual([`RRULE:FREQ=DAILY;${expected}`]);
  });

  test('EXDATEs in the wrong form follow the start', () => {
    expect(lines('DTSTART:20260302T140000Z', 'RRULE:FREQ=DAILY', 'EXDATE:20260304', 'EXDATE:20260305T140000')).toEqual([
      'RRULE:FREQ=DAILY',
      'EXDATE:20260304T140000Z',
      'EXDATE:20260305T140000Z',
    ]);
    expect(
      lines('DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260304T000000'),
    ).toEqual(['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260304']);
  });

  test('a rule that cannot be is left out and told', () => {
    const { events, problems } = read(...event('DTSTART:20260302T140000Z', 'RRULE:FREQ=DAILY;INTERVAL=0'));
    expect(events[0]?.recurrence).toEqual([]);
    expect(problems.join()).toContain('INTERVAL');
  });
});

describe('overrides', () => {
  const override = (slot: string, ...rest: string[]) => event(`RECURRENCE-ID${slot}`, ...rest);

  test('name their slot in the zone and form of the series', () => {
    const timed = read(
      ...event('DTSTART;TZID=Europe/Berlin:20260302T090000', 'RRULE:FREQ=DAILY'),
      ...override(':20260303T080000Z', 'DTSTART;TZID=America/New_York:20260303T090000'),
    );
    expect(timed.events[1]).toMatchObject({ recurrenceId: '2026-03-03T09:00:00', timeZone: 'America/New_York' });
    const allDay = read(
      ...event('DTSTART;VALUE=DATE:20260219', 'RRULE:FREQ=DAILY'),
      ...override(';TZID=W. Europe Standard Time:20260226T000000', 'DTSTART;VALUE=DATE:20260227'),
    );
    expect(allDay.events[1]).toMatchObject({ recurrenceId: '2026-02-26', dtstart: '2026-02-27' });
  });

  test('of several for one slot the highest SEQUENCE counts', () => {
    const { events } = read(
      ...event('DTSTART:20260302T100000Z', 'RRULE:FREQ=DAILY;COUNT=5'),
      ...override(':20260303T100000Z', 'DTSTART:20260303T140000Z', 'SEQUENCE:3'),
      ...override(':20260303T100000Z', 'DTSTART:20260303T110000Z', 'SEQUENCE:1'),
    );
    expect(events.map((item) => item.dtstart)).toEqual(['2026-03-02T10:00:00', '2026-03-03T14:00:00']);
  });

  test('may be cancelled', () => {
    const { events } = read(
      ...event('DTSTART:20260302T100000Z', 'RRULE:FREQ=DAILY'),
      ...override(':20260303T100000Z', 'DTSTART:20260303T100000Z', 'STATUS:CANCELLED'),
    );
    expect(events[1]?.cancelled).toBe(true);
  });
});

describe('the rest', () => {
  test('people, escapes, unicode, privacy, free time', () => {
    const { events } = read(
      'BEGIN:VEVENT',
      'UID:u2',
      'SUMMARY:Fête\\, part 2\\; 🎉',
      'DESCRIPTION:one\\ntwo',
      'DTSTART:20260301T090000Z',
      'CLASS:PRIVATE',
      'TRANSP:TRANSPARENT',
      'ORGANIZER;CN="Doe, Jo":mailto:Jo@Example.org',
      'ATTENDEE;CN=Al;PARTSTAT=ACCEPTED:mailto:al@example.org',
      'ATTENDEE;CN=Nobody:invalid:nomail',
      'BEGIN:VALARM',
      'DESCRIPTION:not this one',
      'END:VALARM',
      'END:VEVENT',
    );
    expect(events[0]).toMatchObject({
      summary: 'Fête, part 2; 🎉',
      description: 'one\ntwo',
      visibility: 'private',
      transparent: true,
      organizer: { email: 'jo@example.org', name: 'Doe, Jo' },
      attendees: [{ email: 'al@example.org', name: 'Al', partstat: 'ACCEPTED' }],
    });
  });

  test('several calendars, indented and unnamed ones', () => {
    const text = '  BEGIN:VCALENDAR\nX-WR-CALNAME:One\nEND:VCALENDAR\nBEGIN:VCALENDAR\nEND:VCALENDAR';
    expect(readIcs(text).calendars.map((calendar) => calendar.name)).toEqual(['One', 'Imported calendar']);
    expect(readIcs(text, 'club.ics').calendars.map((calendar) => calendar.name)).toEqual(['One', 'club.ics']);
  });

  test('events without UID get the same made one each time', () => {
    const uid = () => read('BEGIN:VEVENT', 'DTSTART:20260301T090000Z', 'END:VEVENT').events[0]?.uid;
    expect(uid()).toMatch(/@sandbox\.invalid$/);
    expect(uid()).toBe(uid());
  });

  test('broken lines and events are told and cost no more than themselves', () => {
    const { events, problems } = read(
      ...event('DTSTART;TZID="Europe/Berlin:20260301T090000"', 'X-BROKEN;A', 'ORGANIZER;CN=:mailto'),
      ...event('DTSTART:someday'),
    );
    expect(events).toMatchObject([{ dtstart: '2026-03-01T09:00:00', timeZone: 'Europe/Berlin', organizer: null }]);
    expect(problems).toHaveLength(2);
  });

  test('a text without calendar is refused', () => {
    expect(() => readIcs('hello')).toThrow('no VCALENDAR');
  });
});

test('a zone that nobody knows is told, once', () => {
  const { events, problems } = read(
    'X-WR-TIMEZONE:Europe/Berlin',
    ...event('DTSTART;TZID=Nowhere/Land:20261121T120000', 'DTEND;TZID=Nowhere/Land:20261121T130000'),
  );
  expect(events[0]).toMatchObject({ dtstart: '2026-11-21T12:00:00', timeZone: 'Europe/Berlin' });
  expect(problems).toEqual(['the time zone "Nowhere/Land" is not known: its times were read in Europe/Berlin']);
});
