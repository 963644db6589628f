import fc from 'fast-check';
import {
  type CalendarRef,
  type EventContent,
  type EventPatch,
  type NewEvent,
  type ProviderEvent,
  shownAs,
} from 'kalends/ports';
import { formatInstant, formatWall } from 'kalends/zones';
import { expect, test } from 'vitest';
import { readEvent, readSeries } from '../../src/events/event-reading.ts';
import { type WireMaster, wireMaster } from '../../src/events/event-wire.ts';
import { writeEvent } from '../../src/events/event-writing.ts';
import { shownZone } from '../../src/events/event-zones.ts';

/*
 * Neutral → wire → neutral, with the least that can stand between: a store that keeps what a request names and answers
 * times in UTC, as Graph does. It knows nothing of the adapter's code.
 */

const calendar: CalendarRef = {
  id: 'c',
  timeZone: 'Europe/Paris',
  isPrimary: true,
  isShared: false,
  inviteEmail: '',
  allowedOnlineMeetingProviders: ['teamsForBusiness'],
  defaultOnlineMeetingProvider: 'teamsForBusiness',
};
const context = { calendarZone: calendar.timeZone };

const OFFSETS: Readonly<Record<string, readonly [winter: number, summer: number]>> = {
  UTC: [0, 0],
  'Asia/Kolkata': [5.5, 5.5],
  'Asia/Tokyo': [9, 9],
  'America/Phoenix': [-7, -7],
};
const HOUR = 3_600_000;

type Wire = Record<string, unknown>;

/** Graph's answer after a body was written over the earlier event. */
function stored(before: Wire, body: Readonly<Wire>): Wire {
  const next: Wire = { id: 'e1', '@odata.etag': 'W/"1"', isOrganizer: true, type: 'singleInstance', ...before };
  for (const [name, value] of Object.entries(body)) {
    if (name === 'singleValueExtendedProperties') {
      const known = (next[name] ?? []) as { id: string }[];
      const written = value as { id: string }[];
      next[name] = [...known.filter(({ id }) => !written.some((each) => each.id === id)), ...written];
    } else if (name === 'start' || name === 'end') {
      const { dateTime, timeZone } = value as { dateTime: string; timeZone: string };
      next[name === 'start' ? 'originalStartTimeZone' : 'originalEndTimeZone'] = timeZone;
      const offset = body['isAllDay'] ? 0 : OFFSETS[timeZone]![0] * HOUR;
      next[name] = { dateTime: `${formatWall(Date.parse(`${dateTime}Z`) - offset)}.0000000`, timeZone: 'UTC' };
    } else next[name] = value;
  }
  next['type'] = next['recurrence'] ? 'seriesMaster' : 'singleInstance';
  return next;
}

const parse = (wire: Wire): WireMaster => wireMaster.parse(wire);
const read = (wire: WireMaster): ProviderEvent =>
  wire.recurrence ? readSeries(wire, context).master : readEvent(wire, context);

const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\r'));
const properties = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.string({ maxLength: 12 }), {
  maxKeys: 4,
  noNullPrototype: true,
});
const minute = fc.integer({ min: 0, max: 600_000 }).map((minutes) => Date.UTC(2026, 0, 1) + minutes * 60_000);

const times = fc.oneof(
  fc
    .record({ at: minute, length: fc.nat(3000), zone: fc.constantFrom(...Object.keys(OFFSETS)) })
    .map(({ at, length, zone }) => ({
      isAllDay: false,
      start: { dateTime: formatInstant(zone, at), timeZone: zone },
      end: { dateTime: formatInstant(zone, at + length * 60_000), timeZone: zone },
    })),
  fc.record({ day: fc.nat(400), days: fc.integer({ min: 1, max: 9 }) }).map(({ day, days }) => {
    const from = Date.UTC(2026, 0, 1) + day * 24 * HOUR;
    return {
      isAllDay: true,
      start: { dateTime: formatWall(from), timeZone: '' },
      end: { dateTime: formatWall(from + days * 24 * HOUR), timeZone: '' },
    };
  }),
);

const fields = fc.record(
  {
    title: text,
    description: text,
    location: text,
    publicExtendedProperties: properties,
    privateExtendedProperties: properties,
    colorId: fc.constantFrom('1', '11', 'x'),
    customColor: fc.constantFrom('#000000', '#abcdef'),
    visibility: fc.constantFrom('default', 'public', 'private', 'confidential'),
    transparency: fc.constantFrom('transparent', 'opaque'),
    eventType: fc.constantFrom('default', 'outOfOffice'),
    reminders: fc.oneof(
      fc.constant({ useDefault: true }),
      fc.constant({ useDefault: false, isReminderOn: false, overrides: [] }),
      fc.integer({ min: 0, max: 40_320 }).map((minutes) => ({
        useDefault: false,
        isReminderOn: true,
        overrides: [{ method: 'popup' as const, minutes }],
      })),
    ),
  },
  { requiredKeys: [] },
);

/** An out-of-office event is opaque unless it says otherwise, as everything is. */
const EXPECTED_DEFAULTS = {
  title: '',
  description: '',
  location: '',
  publicExtendedProperties: {},
  privateExtendedProperties: {},
  visibility: 'default',
  transparency: 'opaque',
  eventType: 'default',
};

test('a new event reads as it was written', () => {
  fc.assert(
    fc.property(fields, times, (input, when) => {
      const event: NewEvent = { ...input, ...when } as NewEvent;
      const { body } = writeEvent(event, { calendar, before: null, naming: 'iana' });
      const content = read(parse(stored({}, body))).content;
      expect(content).toMatchObject({ ...EXPECTED_DEFAULTS, ...input, ...when });
    }),
    { numRuns: 1000 },
  );
});

test('a patch changes what it names and nothing else, and sending back what was read changes nothing', () => {
  fc.assert(
    fc.property(fields, times, fields, fc.option(times, { nil: undefined }), (input, when, patch, move) => {
      const first = writeEvent({ ...input, ...when } as NewEvent, { calendar, before: null, naming: 'iana' });
      const before = parse(stored({}, first.body));
      const change = { ...patch, ...move } as EventPatch;
      const second = writeEvent(change, { calendar, before, naming: 'iana' });
      const after = parse(stored(before as Wire, second.body));
      const { publicExtendedProperties, privateExtendedProperties, ...plain } = patch;
      const merged = {
        publicExtendedProperties: { ...input.publicExtendedProperties, ...publicExtendedProperties },
        privateExtendedProperties: { ...input.privateExtendedProperties, ...privateExtendedProperties },
      };
      const was = read(before).content;
      const is = read(after).content;
      const wanted = { ...was!, ...plain, ...move, ...merged };
      expect(is).toEqual({ ...wanted, showAs: shownAs(wanted as EventContent) });
      const { title, description, location, visibility, transparency, eventType, reminders } = is!;
      const echo = { title, description, location, visibility, transparency, eventType, reminders };
      const third = writeEvent(echo, { calendar, before: after, naming: 'iana' });
      expect(read(parse(stored(after as Wire, third.body))).content).toEqual(is);
      expect(third.body).not.toHaveProperty('singleValueExtendedProperties');
    }),
    { numRuns: 1000 },
  );
});

const rule = fc.constantFrom(
  'RRULE:FREQ=DAILY',
  'RRULE:COUNT=3;FREQ=DAILY;INTERVAL=2',
  'RRULE:FREQ=WEEKLY;COUNT=4',
  'RRULE:FREQ=WEEKLY;WKST=SU;INTERVAL=2',
  'RRULE:FREQ=YEARLY;UNTIL=20300101T000000Z',
  'rrule:freq=daily;until=20270301T000000Z',
  'FREQ=DAILY;COUNT=2',
);

test('a rule is shown as it was written while Graph holds the same, and as Graph has it otherwise', () => {
  const days = times.filter(({ start }) => Number(start.dateTime.slice(8, 10)) <= 28);
  fc.assert(
    fc.property(rule, days, (line, when) => {
      const lines = when.isAllDay ? [line.replace(/T000000Z/i, '')] : [line];
      const { body } = writeEvent({ title: 'x', ...when, recurrence: lines } as NewEvent, {
        calendar,
        before: null,
        naming: 'iana',
      });
      const wire = parse(stored({}, body));
      expect(read(wire).content?.recurrence).toEqual(lines);
      const pattern = { ...wire.recurrence!.pattern, interval: (wire.recurrence!.pattern.interval ?? 1) + 1 };
      const changed = { ...wire, recurrence: { ...wire.recurrence!, pattern } };
      expect(read(changed).content?.recurrence).not.toEqual(lines);
    }),
    { numRuns: 300 },
  );
});

test('zone names', () => {
  const kept = { name: 'Europe/Zurich', sentAs: 'Europe/Zurich' };
  expect(shownZone('W. Europe Standard Time', kept, 'UTC')).toBe('Europe/Zurich');
  expect(shownZone('Europe/Berlin', kept, 'UTC')).toBe('Europe/Zurich');
  expect(shownZone('Tokyo Standard Time', kept, 'UTC')).toBe('Asia/Tokyo');
  expect(shownZone('Customized Time Zone', kept, 'Asia/Tokyo')).toBe('Asia/Tokyo');
  expect(shownZone('tzone://Microsoft/Utc', undefined, 'Asia/Tokyo')).toBe('UTC');
  expect(shownZone(undefined, undefined, 'Asia/Tokyo')).toBe('Asia/Tokyo');
});
