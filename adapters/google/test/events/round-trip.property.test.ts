import fc from 'fast-check';
import type { EventContent, EventPatch, NewEvent } from 'kalends/ports';
import { formatDate, formatInstant } from 'kalends/zones';
import { expect, test } from 'vitest';
import { readEvent } from '../../src/events/event-reading.ts';
import { type WireEvent, wireEvent } from '../../src/events/event-wire.ts';
import { withoutNulls, writeBody } from '../../src/events/event-writing.ts';

/** The server's side: RFC 7396 merge over what it has, and what it fills in on its own. */
const SERVER = {
  id: 'e1',
  etag: '"1"',
  status: 'confirmed',
  created: '2026-01-01T00:00:00.000Z',
  updated: '2026-01-02T00:00:00.000Z',
  iCalUID: 'e1@google.com',
  htmlLink: 'https://calendar.example/e1',
  organizer: { email: 'me@x.example', self: true },
  creator: { email: 'me@x.example' },
  eventType: 'default',
};

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

const context = (content: EventContent | undefined, fresh: WireEvent | undefined) => ({
  content,
  fresh,
  isOccurrence: false,
  calendarIsPrimary: true,
  allowedConferences: ['hangoutsMeet'],
  conferenceRequestId: 'r1',
});

const ZONES = ['Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC', 'Pacific/Apia'];
const seconds = fc.integer({ min: Date.UTC(1990, 0, 1) / 1000, max: Date.UTC(2037, 0, 1) / 1000 });
const text = fc.string({ maxLength: 40, unit: 'grapheme' });
const properties = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 44 }).filter((key) => key !== '__proto__'),
  fc.string({ maxLength: 60 }),
  { maxKeys: 5, noNullPrototype: true },
);

const timed = fc
  .record({
    at: seconds,
    length: fc.integer({ min: 1, max: 10_000_000 }),
    from: fc.constantFrom(...ZONES),
    to: fc.constantFrom(...ZONES),
  })
  .map(({ at, length, from, to }) => ({
    isAllDay: false,
    start: { dateTime: formatInstant(from, at * 1000), timeZone: from },
    end: { dateTime: formatInstant(to, (at + length) * 1000), timeZone: to },
  }));
const allDay = fc.record({ at: seconds, days: fc.integer({ min: 1, max: 400 }) }).map(({ at, days }) => ({
  isAllDay: true,
  start: { dateTime: `${formatDate(at * 1000)}T00:00:00`, timeZone: '' },
  end: { dateTime: `${formatDate((at + days * 86_400) * 1000)}T00:00:00`, timeZone: '' },
}));

const attendees = fc.uniqueArray(
  fc.record({
    email: fc.integer({ min: 0, max: 9 }).map((n) => `guest${n}@x.example`),
    name: fc.constantFrom('Ann', 'Bob', 'Cléo'),
    responseStatus: fc.constantFrom('needsAction', 'declined', 'tentative', 'accepted'),
  }),
  { selector: ({ email }) => email, maxLength: 5 },
);

const fields = {
  title: text,
  description: text,
  location: text,
  publicExtendedProperties: properties,
  privateExtendedProperties: properties,
  recurrence: fc.constantFrom(['RRULE:FREQ=DAILY;COUNT=3'], ['RRULE:FREQ=WEEKLY;WKST=SU', 'EXDATE:20260302T090000Z']),
  colorId: fc.integer({ min: 1, max: 11 }).map(String),
  customColor: fc.constantFrom('#000000', '#a1b2c3'),
  attendees,
  visibility: fc.constantFrom('default', 'public', 'private', 'confidential'),
  transparency: fc.constantFrom('transparent', 'opaque'),
  reminders: fc.constantFrom(
    { useDefault: true },
    { useDefault: false, isReminderOn: false, overrides: [] },
    { useDefault: false, isReminderOn: true, overrides: [{ method: 'email' as const, minutes: 60 }] },
  ),
} as const;

const newEvent = fc
  .tuple(fc.oneof(timed, allDay), fc.record(fields, { requiredKeys: ['title'] }))
  // An all-day series writes its EXDATE as dates, which the table of recurrence lines tests.
  .map(([times, rest]) => ({ ...times, ...(times.isAllDay ? { ...rest, recurrence: undefined } : rest) }) as NewEvent);

/** The expected value of a field, by the words of the interface alone. */
const CLEARED: Readonly<Record<string, unknown>> = {
  title: '',
  description: '',
  location: '',
  publicExtendedProperties: {},
  privateExtendedProperties: {},
  recurrence: null,
  colorId: undefined,
  customColor: undefined,
  attendees: [],
  visibility: 'default',
  transparency: 'opaque',
  reminders: { useDefault: true },
};

function expectField(content: EventContent, name: string, value: unknown): void {
  const shown = (content as Record<string, unknown>)[name];
  if (name === 'attendees' && Array.isArray(value)) {
    expect(shown).toEqual(value.map((attendee) => ({ id: attendee.email, ...attendee, kind: 'required' })));
  } else expect(shown, name).toEqual(value);
}

function create(input: NewEvent): WireEvent {
  const body = withoutNulls(writeBody(input, context(undefined, undefined)));
  return wireEvent.parse(JSON.parse(JSON.stringify({ ...SERVER, ...body })));
}

function contentOf(wire: WireEvent): EventContent {
  const { content } = readEvent(wire, { calendarZone: 'Europe/London' });
  if (content === null) throw new Error('no content');
  return content;
}

test('a created event reads as it was written', () => {
  fc.assert(
    fc.property(newEvent, (input) => {
      const content = contentOf(create(input));
      for (const [name, cleared] of Object.entries(CLEARED)) {
        expectField(content, name, (input as Record<string, unknown>)[name] ?? cleared);
      }
      expect([content.start, content.end, content.isAllDay]).toEqual([input.start, input.end, input.isAllDay]);
    }),
    { numRuns: 300 },
  );
});

const patch = fc
  .tuple(
    fc.option(fc.oneof(timed, allDay), { nil: undefined }),
    fc.record(
      Object.fromEntries(
        Object.entries(fields)
          .filter(([name]) => name !== 'attendees' && name !== 'recurrence')
          .map(([name, arbitrary]) => [name, fc.option(arbitrary as fc.Arbitrary<unknown>, { nil: null })]),
      ),
      { requiredKeys: [] },
    ),
  )
  .map(([times, rest]) => ({ ...times, ...rest }) as EventPatch);

test('a patched event shows the patch and otherwise what it was', () => {
  fc.assert(
    fc.property(newEvent, patch, (input, change) => {
      const before = create({ ...input, recurrence: null });
      const contentBefore = contentOf(before);
      const body = writeBody(change, context(contentBefore, before));
      const after = contentOf(wireEvent.parse(merge(before, JSON.parse(JSON.stringify(body)))));
      for (const [name, cleared] of Object.entries(CLEARED)) {
        const sent = (change as Record<string, unknown>)[name];
        const was = (contentBefore as Record<string, unknown>)[name];
        const isMap = name.endsWith('Properties') && sent != null;
        const expected = isMap
          ? { ...(was as object), ...(sent as object) }
          : sent === undefined
            ? was
            : (sent ?? cleared);
        if (name === 'attendees') expect(after.attendees).toEqual(contentBefore.attendees);
        else expectField(after, name, expected);
      }
      expect([after.start, after.end, after.isAllDay]).toEqual(
        change.start === undefined
          ? [contentBefore.start, contentBefore.end, contentBefore.isAllDay]
          : [change.start, change.end, change.isAllDay],
      );
    }),
    { numRuns: 300 },
  );
});

test('a new guest list keeps the answers of those who stay', () => {
  fc.assert(
    fc.property(newEvent, attendees, attendees, (input, guests, wanted) => {
      const before = create({ ...input, attendees: guests });
      const body = writeBody({ attendees: wanted }, context(contentOf(before), before));
      const after = contentOf(wireEvent.parse(merge(before, JSON.parse(JSON.stringify(body)))));
      const answers = new Map(guests.map(({ email, responseStatus }) => [email, responseStatus]));
      expect(after.attendees.map(({ email, name, responseStatus }) => [email, name, responseStatus])).toEqual(
        wanted.map(({ email, name, responseStatus }) => [email, name, answers.get(email) ?? responseStatus]),
      );
    }),
    { numRuns: 200 },
  );
});
