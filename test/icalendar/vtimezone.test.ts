import ICAL from 'ical.js';
import { printEvents } from 'kalends/icalendar';
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

test.each(ZONES)('the VTIMEZONE of %s gives another reader the offsets of the zone', (zone) => {
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: zone };
  const content = { ...contentOf(), start, end: { ...start, dateTime: '2026-03-02T10:00:00' } };
  const group = { uid: 'u', master: { recurrenceId: null, isCancelled: false, content }, exceptions: [] };
  const read = zoneOf(printEvents([group], { timeZone: zone }));
  const wrong = INSTANTS.filter((at) => {
    const wall = new Date(at + offsetAt(zone, at)).toISOString().slice(0, 19);
    // Next to a change the two readers may take different sides of an hour that occurs twice, or never.
    const isSettled = [-3, 3].every((hours) => offsetAt(zone, at + hours * 3_600_000) === offsetAt(zone, at));
    return isSettled && read.utcOffset(ICAL.Time.fromDateTimeString(wall)) * 1000 !== offsetAt(zone, at);
  });
  expect(wrong.map((at) => new Date(at).toISOString())).toEqual([]);
});
