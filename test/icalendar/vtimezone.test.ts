import ICAL from 'ical.js';
import { printCalendar, printEvents } from 'kalends/icalendar';
import { offsetAt } from 'kalends/zones';
import { expect, test } from 'vitest';
import { contentOf } from './event-contents.ts';

/** Zones with yearly rules of each kind, rules that ended, changes by decree, negative DST, half hours, and none. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Los_Angeles',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Europe/Moscow',
  'Europe/Istanbul',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Gaza',
  'Asia/Jerusalem',
  'America/Sao_Paulo',
  'America/Santiago',
  'America/Caracas',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Europe/Dublin',
  'America/Nuuk',
  'Asia/Tehran',
  'Asia/Pyongyang',
  'Antarctica/Troll',
];

/** First years of events; one is beyond the last year that rules are proved for. */
const YEARS = [1971, 1995, 2026, 2034, 2045];

/** Instants of all hours and seasons from 1972 to 2036, around three thousand. */
const INSTANTS = Array.from(
  { length: 3000 },
  (_, index) => Date.UTC(1972, 0, 1) + index * 189 * 3_600_000 * 1.0007,
).map((at) => Math.floor(at / 1000) * 1000);

function zoneOf(text: string): ICAL.Timezone {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const component = calendar.getFirstSubcomponent('vtimezone');
  if (component === null) throw new Error('no VTIMEZONE');
  return new ICAL.Timezone(component);
}

/** Instants of a calendar whose first event is of a year. */
function instantsFrom(year: number): readonly number[] {
  const later = Array.from({ length: 300 }, (_, index) => Date.UTC(year, 0, 1) + index * 229 * 3_600_000);
  return [...INSTANTS.filter((at) => at >= Date.UTC(year, 0, 1)), ...(year > 2036 ? later : [])];
}

function eventIn(zone: string, year: number) {
  const at = (time: string) => ({ dateTime: `${year}-01-01T${time}:00`, timeZone: zone });
  const content = { ...contentOf(), start: at('00:30'), end: at('10:00') };
  return { uid: `u${year}`, master: { recurrenceId: null, isCancelled: false, content }, exceptions: [] };
}

test.each(ZONES)('the VTIMEZONE of %s gives another reader the offsets of the zone', (zone) => {
  for (const year of YEARS) {
    const read = zoneOf(printEvents([eventIn(zone, 2060), eventIn(zone, year)], { timeZone: zone }));
    const wrong = instantsFrom(year).filter((at) => {
      const wall = new Date(at + offsetAt(zone, at)).toISOString().slice(0, 19);
      // Next to a change the two readers may take different sides of an hour that occurs twice, or never.
      const isSettled = [-3, 3].every((hours) => offsetAt(zone, at + hours * 3_600_000) === offsetAt(zone, at));
      return isSettled && read.utcOffset(ICAL.Time.fromDateTimeString(wall)) * 1000 !== offsetAt(zone, at);
    });
    expect(wrong.map((at) => `${year}: ${new Date(at).toISOString()}`)).toEqual([]);
  }
});

test('a VTIMEZONE begins with the year of the first event in its zone, and has no more than that needs', async () => {
  const groups = [eventIn('America/New_York', 2027), eventIn('Europe/Berlin', 1996), eventIn('America/New_York', 2026)];
  const onsets = (text: string) =>
    new ICAL.Component(ICAL.parse(text))
      .getAllSubcomponents('vtimezone')
      .map((zone) => [
        zone.getFirstPropertyValue('tzid'),
        zone
          .getAllSubcomponents()
          .map((each) => `${each.getFirstPropertyValue('dtstart')} ${each.getFirstPropertyValue('rrule')}`),
      ]);
  const ofNewYork = [
    '2025-11-02T02:00:00 FREQ=YEARLY;BYMONTH=11;BYDAY=1SU',
    '2026-03-08T02:00:00 FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
  ];
  expect(onsets(printEvents(groups, { timeZone: 'UTC' }))).toEqual([
    ['America/New_York', ofNewYork],
    [
      'Europe/Berlin',
      [
        '1995-09-24T03:00:00 null',
        '1996-10-27T03:00:00 FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
        '1996-03-31T02:00:00 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
      ],
    ],
  ]);
  let streamed = '';
  for await (const part of printCalendar(groups, { timeZone: 'UTC', fromMs: Date.UTC(2026, 0, 1) })) streamed += part;
  expect(onsets(streamed)).toEqual(onsets(printEvents(groups, { timeZone: 'UTC' })));
});
