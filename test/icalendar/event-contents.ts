import fc from 'fast-check';
import type { PrintableEvent, PrintableGroup } from 'kalends/icalendar';
import type { EventContent } from 'kalends/ports';
import { compileSeries } from 'kalends/recurrence';
import { formatDate, formatInstant, formatWall, instantOf, wallAt } from 'kalends/zones';

const DAY_MS = 86_400_000;
const STAMP = '2026-01-05T10:00:00.000Z';

/** Returns the content of a plain event. */
export function contentOf(): EventContent {
  return {
    title: 'Plain',
    description: '',
    createdAt: STAMP,
    updatedAt: STAMP,
    start: { dateTime: '2026-03-02T09:00:00+00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-03-02T10:00:00+00:00', timeZone: 'UTC' },
    isAllDay: false,
    recurrence: null,
    publicExtendedProperties: {},
    privateExtendedProperties: {},
    categories: [],
    hasAttachments: false,
    guestsCanSeeOtherGuests: true,
    attendees: [],
    visibility: 'default',
    location: '',
    webLink: '',
    iCalUid: 'uid-1',
    transparency: 'opaque',
    status: 'confirmed',
    eventType: 'default',
    showAs: 'busy',
    reminders: { useDefault: false, isReminderOn: false, overrides: [] },
  };
}

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
];

/** Texts with everything that a line must escape or fold; RFC 5545 has no carriage returns and no other control characters. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'a,;:\\"\n^%=é漢😀 \t', '\\n', 'BEGIN:VEVENT'),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    maxLength: 60,
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that are meant
  .map((value) => value.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim());
const line = text.map((value) => value.replaceAll(/\s+/g, ' ').trim());
const filled = line.filter((value) => value !== '');
const email = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9.+']{0,10}$/), fc.constantFrom('a.example', 'b.example'))
  .map((parts) => parts.join('@'));

const properties = fc
  .dictionary(
    filled.filter((key) => key !== '__proto__'),
    text,
    { maxKeys: 4 },
  )
  .map((record) => ({ ...record }));

const attendees = fc.uniqueArray(
  fc.record({
    email,
    name: line,
    responseStatus: fc.constantFrom(
      'needsAction' as const,
      'accepted' as const,
      'declined' as const,
      'tentative' as const,
    ),
    kind: fc.constantFrom('required' as const, 'optional' as const, 'resource' as const),
  }),
  { maxLength: 4, selector: (attendee) => attendee.email },
);

const reminders = fc.oneof(
  fc.constant({ useDefault: true }),
  fc
    .uniqueArray(
      fc.record({
        method: fc.constantFrom('email' as const, 'popup' as const),
        minutes: fc.integer({ min: 0, max: 40_320 }),
      }),
      {
        maxLength: 5,
        selector: ({ method, minutes }) => `${method} ${minutes}`,
      },
    )
    .map((overrides) => ({ useDefault: false, isReminderOn: overrides.length > 0, overrides })),
);

const availability = fc
  .record({
    transparency: fc.constantFrom('opaque' as const, 'transparent' as const),
    status: fc.constantFrom('confirmed' as const, 'tentative' as const),
    eventType: fc.constantFrom('default' as const, 'outOfOffice' as const, 'focusTime' as const),
    isElsewhere: fc.boolean(),
  })
  .map(({ isElsewhere, ...fields }) => ({ ...fields, showAs: shown(fields, isElsewhere) }));

function shown(
  { transparency, status, eventType }: Pick<EventContent, 'transparency' | 'status' | 'eventType'>,
  isElsewhere: boolean,
): EventContent['showAs'] {
  if (transparency === 'transparent') return 'free';
  if (eventType === 'outOfOffice') return 'oof';
  if (status === 'tentative') return 'tentative';
  return isElsewhere ? 'workingElsewhere' : 'busy';
}

const degrees = (limit: number) =>
  fc.integer({ min: -limit * 1000, max: limit * 1000 }).map((value) => value / 1000 + 0);

const place = fc.record(
  {
    coordinates: fc.record({ latitude: degrees(90), longitude: degrees(180) }),
    uri: filled,
    address: fc.record({ city: filled }),
  },
  { requiredKeys: [] },
);

const conference = fc.record(
  {
    joinUrl: fc.constantFrom('https://meet.example/a?b=c,d;e', 'https://meet.example/x'),
    conferenceType: filled,
    conferenceId: filled,
  },
  { requiredKeys: ['joinUrl'] },
);

/** Fields of an event apart from its times. */
export const fields = fc.record({
  title: line,
  description: text,
  location: line,
  categories: fc.uniqueArray(filled, { maxLength: 3 }),
  publicExtendedProperties: properties,
  privateExtendedProperties: properties,
  attendees,
  reminders,
  availability,
  visibility: fc.constantFrom('default' as const, 'public' as const, 'private' as const, 'confidential' as const),
  colorId: fc.option(filled, { nil: undefined }),
  customColor: fc.option(fc.oneof(fc.constant('Tomato'), filled), { nil: undefined }),
  locationDetails: fc.option(
    place.filter((value) => Object.keys(value).length > 0),
    { nil: undefined },
  ),
  conferenceData: fc.option(conference, { nil: undefined }),
  guestsCanModify: fc.option(fc.boolean(), { nil: undefined }),
  guestsCanSeeOtherGuests: fc.boolean(),
});

type Fields = typeof fields extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns an event's content with other fields, its times as they are. */
function withFields(base: EventContent, { availability: state, attendees: guests, ...given }: Fields): EventContent {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  const people = guests.map((guest) => ({ id: guest.email, ...guest }));
  const organizer =
    guests.length === 0 ? {} : { organizer: { email: 'boss@a.example', name: 'The "Boss", Ltd.', isSelf: false } };
  return { ...base, ...Object.fromEntries(present), ...state, attendees: people, ...organizer };
}

const times = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    atMs: fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2036, 0, 1) }),
    minutes: fc.integer({ min: 0, max: 4000 }),
    isAllDay: fc.boolean(),
  })
  .map(({ zone, atMs, minutes, isAllDay }) => {
    if (isAllDay) return allDay(atMs, 1 + (minutes % 5));
    const startMs = unambiguous(zone, Math.floor(atMs / 1000) * 1000);
    const endMs = unambiguous(zone, startMs + minutes * 60_000);
    const at = (ms: number) => ({ dateTime: formatInstant(zone, ms), timeZone: zone });
    return { start: at(startMs), end: at(Math.max(startMs, endMs)), isAllDay: false };
  });

/** The first of two readings: the second is written in UTC, and read back so. */
function unambiguous(zone: string, atMs: number): number {
  return instantOf(zone, wallAt(zone, atMs));
}

function allDay(atMs: number, days: number) {
  const day = Math.floor(atMs / DAY_MS) * DAY_MS;
  const date = (ms: number) => ({ dateTime: `${formatDate(ms)}T00:00:00`, timeZone: '' });
  return { start: date(day), end: date(day + days * DAY_MS), isAllDay: true };
}

const RULES = ['FREQ=DAILY', 'FREQ=DAILY;INTERVAL=3;COUNT=20', 'FREQ=YEARLY'];

/** Groups of events of one UID: single ones, series, series with moved and cancelled occurrences. */
export const groups: fc.Arbitrary<PrintableGroup> = fc
  .record({
    times,
    fields,
    own: fields,
    rule: fc.constantFrom(undefined, ...RULES),
    moved: fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }),
    cancelled: fc.uniqueArray(fc.integer({ min: 10, max: 15 }), { maxLength: 3 }),
    isCancelled: fc.boolean(),
    uid: filled,
    sequences: fc.tuple(fc.nat(), fc.nat()),
  })
  .map(({ times: when, fields: said, own, rule, moved, cancelled, isCancelled, uid, sequences }) => {
    const [sequence, ownSequence] = sequences;
    const base = { ...contentOf(), ...when, iCalUid: uid };
    const recurrence = rule === undefined ? null : [`RRULE:${rule}`];
    const content = { ...withFields(base, said), recurrence };
    // STATUS says one thing: a cancelled event is not tentative as well.
    const master: PrintableEvent = {
      recurrenceId: null,
      isCancelled: isCancelled && content.status === 'confirmed',
      content,
      sequence,
    };
    const slots = rule === undefined ? [] : slotsOf(content);
    const exceptions = [
      ...slotsAt(slots, moved).map((recurrenceId) => ({
        recurrenceId,
        isCancelled: false,
        content: withFields(base, own),
        sequence: ownSequence,
      })),
      // An EXDATE has no SEQUENCE of its own.
      ...slotsAt(slots, cancelled).map((recurrenceId) => ({
        recurrenceId,
        isCancelled: true,
        content: null,
        sequence,
      })),
    ];
    return { uid, master, exceptions };
  });

type Slot = NonNullable<PrintableEvent['recurrenceId']>;

function slotsAt(slots: readonly Slot[], indexes: readonly number[]): readonly Slot[] {
  return indexes.flatMap((index) => slots[index] ?? []);
}

function slotsOf({ start, isAllDay, recurrence }: EventContent): readonly Slot[] {
  const dtstart = start.dateTime.slice(0, isAllDay ? 10 : 19);
  const series = compileSeries({ dtstart, timeZone: isAllDay ? null : start.timeZone, lines: recurrence ?? [] });
  const found = series.occurrences({
    from: series.dtstartMs - DAY_MS,
    to: series.dtstartMs + 400 * 366 * DAY_MS,
    limit: 16,
  });
  return found.map(({ startMs }) =>
    isAllDay ? { kind: 'date', date: formatWall(startMs).slice(0, 10) } : { kind: 'instant', startMs },
  );
}
