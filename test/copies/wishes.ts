import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { Content, ExceptionFields, Fields } from './copy-event.ts';

/** A recurrence whose first slots are known without any code of ours. */
export interface SeriesShape {
  /** First day. */
  readonly day: string;
  readonly lines: readonly string[];
  /** Days of slots after the first one that the rule makes, ascending. */
  readonly slots: readonly string[];
  /** Whether Graph has a pattern for it: one RRULE of those in docs/capabilities.md. */
  readonly isPatterned: boolean;
}

const shape = (isPatterned: boolean, rule: string, [day = '', ...slots]: readonly string[]): SeriesShape => ({
  day,
  lines: [`RRULE:${rule}`],
  slots,
  isPatterned,
});

const MARCH = (...days: readonly number[]) => days.map((day) => `2026-03-${String(day).padStart(2, '0')}`);

/** Rules around the last Sunday of March, when European clocks change. */
export const SHAPES: readonly SeriesShape[] = [
  shape(true, 'FREQ=DAILY', MARCH(27, 28, 29, 30)),
  shape(true, 'FREQ=DAILY;COUNT=6', MARCH(27, 28, 29, 30, 31)),
  shape(true, 'FREQ=DAILY;INTERVAL=2;COUNT=9', MARCH(26, 28, 30)),
  shape(true, 'FREQ=WEEKLY;COUNT=5', MARCH(16, 23, 30)),
  shape(true, 'FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=7', MARCH(23, 25, 27, 30)),
  shape(true, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU', MARCH(8, 10, 22, 24)),
  shape(true, 'FREQ=MONTHLY;BYMONTHDAY=20;COUNT=4', ['2026-02-20', '2026-03-20', '2026-04-20']),
  shape(true, 'FREQ=MONTHLY;BYDAY=-1SU', ['2026-02-22', '2026-03-29', '2026-04-26']),
  shape(true, 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=9', ['2026-03-09', '2027-03-09']),
  shape(false, 'FREQ=MONTHLY;BYMONTHDAY=2,20;COUNT=6', ['2026-03-02', '2026-03-20', '2026-04-02']),
  shape(false, 'FREQ=MONTHLY;BYDAY=-2FR;COUNT=6', ['2026-02-20', '2026-03-20', '2026-04-17']),
  shape(false, 'FREQ=MONTHLY;BYMONTHDAY=31', ['2026-01-31', '2026-03-31', '2026-05-31']),
  shape(false, 'FREQ=YEARLY;BYYEARDAY=61', ['2026-03-02', '2027-03-02']),
  shape(false, 'FREQ=WEEKLY;INTERVAL=100;COUNT=3', ['2026-03-02', '2028-01-31']),
  shape(false, 'FREQ=DAILY;COUNT=1000', MARCH(27, 28, 29, 30)),
];

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'];
const WORDS = [
  'plan',
  'Größe',
  '計画',
  '🗓',
  'a & b',
  '<tag>',
  "it's",
  '"so"',
  '100 %',
  'x;y,z',
  '\\n',
  'a\\;b',
  ':',
  ' ',
];

const words = (between: string) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((parts) => `t${parts.join(between)}.`);
const properties = fc.dictionary(fc.constantFrom('crm', 'Room', 'a.b', 'ü', 'x y'), words(' '), {
  minKeys: 1,
  maxKeys: 3,
});
const guests = fc
  .uniqueArray(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 4 })
  .chain((numbers) => fc.tuple(...numbers.map(guestOf)));
const guestOf = (number: number) =>
  fc.record({
    email: fc.constant(`guest${number}@guests.example`),
    name: fc.constantFrom('Ann', 'Bob, Jr.', 'Cléo "C"'),
    kind: fc.constantFrom('required', 'optional', 'resource'),
  });
const reminders = fc.oneof(
  fc.constant({ useDefault: true }),
  fc.constant({ useDefault: false, isReminderOn: false, overrides: [] }),
  fc
    .uniqueArray(fc.constantFrom(0, 5, 60, 1440, 40_000), { minLength: 1, maxLength: 5 })
    .chain((minutes) =>
      fc.tuple(
        ...minutes.map((one) => fc.record({ method: fc.constantFrom('popup', 'email'), minutes: fc.constant(one) })),
      ),
    )
    .map((overrides) => ({ useDefault: false, isReminderOn: true, overrides })),
);
const locationDetails = fc.record(
  {
    address: fc.record({ street: words(' '), city: words(' ') }),
    coordinates: fc.constantFrom({ latitude: 52.52, longitude: 13.405 }, { latitude: -33.9, longitude: -70.5 }),
    uri: fc.constant('https://maps.example/?q=a,b;c'),
  },
  { requiredKeys: ['address'] },
);

/** Fields that an occurrence may have of its own. */
const DETAILS = {
  title: words(' '),
  description: fc.oneof(words('\n'), fc.constant('d'.repeat(8193))),
  location: words(' '),
  colorId: fc.constantFrom('1', '11', '12', 'Red category'),
  customColor: fc.constantFrom('#000000', '#a1b2c3'),
  visibility: fc.constantFrom('default', 'public', 'private', 'confidential'),
  reminders,
  publicExtendedProperties: properties,
  privateExtendedProperties: properties,
  categories: fc.uniqueArray(fc.constantFrom('Blue', 'Red, green', 'Ü'), { minLength: 1, maxLength: 3 }),
  locationDetails,
};

/** State of the person: each as the fields that say it. */
const STATES: readonly Fields[] = [
  { transparency: 'transparent' },
  { status: 'tentative' },
  { status: 'tentative', transparency: 'transparent' },
  { eventType: 'outOfOffice' },
  { eventType: 'focusTime' },
  { showAs: 'workingElsewhere' },
  { showAs: 'oof' },
  { showAs: 'free', status: 'confirmed' },
];

const OPTIONAL = {
  ...DETAILS,
  attendees: guests,
  conferenceData: fc.constant({
    conferenceId: 'one',
    conferenceType: 'addOn',
    joinUrl: 'https://video.example/1?a=b;c',
  }),
  guestsCanModify: fc.boolean(),
  guestsCanInviteOthers: fc.boolean(),
  guestsCanSeeOtherGuests: fc.boolean(),
  allowNewTimeProposals: fc.boolean(),
};

const DAY_MS = 86_400_000;
const plusDays = (day: string, days: number) => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const allDay = (day: string, days: number): Fields => ({
  isAllDay: true,
  start: { dateTime: `${day}T00:00:00` },
  end: { dateTime: `${plusDays(day, days)}T00:00:00` },
});
const timed = (day: string, zone: string, hour: number, endZone = zone): Fields => ({
  isAllDay: false,
  start: { dateTime: `${day}T${String(hour).padStart(2, '0')}:30:00`, timeZone: zone },
  end: { dateTime: `${endZone === zone ? day : plusDays(day, 1)}T${hour + 2}:00:00`, timeZone: endZone },
});
const zone = fc.constantFrom(...ZONES);
const hour = fc.integer({ min: 8, max: 20 });

const details = fc.record(OPTIONAL, { requiredKeys: ['title'] });
const state = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, fc.constantFrom(...STATES));

const single: fc.Arbitrary<Wish> = fc
  .record({ details, state, zone, endZone: zone, hour, days: fc.integer({ min: 0, max: 4 }) })
  .map((drawn) => {
    const times =
      drawn.days > 0 ? allDay('2026-03-28', drawn.days) : timed('2026-03-28', drawn.zone, drawn.hour, drawn.endZone);
    const fields = { ...drawn.details, ...drawn.state, ...times };
    return { content: { fields, exceptions: [] }, isPatterned: true, crossing: null };
  });

/** Content of a person's calendar, before any provider has seen it. */
export interface Wish {
  readonly content: Content;
  /** Whether Graph has a pattern for its rule; true for what is no series. */
  readonly isPatterned: boolean;
  /** The slot of an exception that has been moved past the one after it. */
  readonly crossing: string | null;
}

const exceptionFields = fc.record(
  { ...DETAILS, transparency: fc.constantFrom('transparent', 'opaque'), status: fc.constant('tentative') },
  { requiredKeys: [] },
);

const series: fc.Arbitrary<Wish> = fc
  .record({
    details,
    state,
    zone,
    hour,
    drawn: fc.constantFrom(...SHAPES),
    isAllDay: fc.boolean(),
    without: fc.boolean(),
    beside: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
    own: fc.array(fc.oneof({ weight: 3, arbitrary: exceptionFields }, fc.constant(null)), { maxLength: 3 }),
    moved: fc.constantFrom(null, null, 0, 40),
  })
  .map(({ drawn, own, moved, ...wish }) => {
    const times = (day: string, at = wish.hour) => (wish.isAllDay ? allDay(day, 1) : timed(day, wish.zone, at));
    const line = (name: string, day: string) => {
      const start = `${day}T${String(wish.hour).padStart(2, '0')}:30:00`.replaceAll(/[-:]/g, '');
      return wish.isAllDay ? `${name};VALUE=DATE:${start.slice(0, 8)}` : `${name};TZID=${wish.zone}:${start}`;
    };
    const days = wish.without ? drawn.slots.slice(0, -1) : drawn.slots;
    const excluded = wish.without ? drawn.slots.slice(-1) : [];
    const slotOf = (day: string) => (wish.isAllDay ? day.replaceAll('-', '') : utc(day, wish.hour, wish.zone));
    const target = moved === null || days[0] === undefined ? '' : plusDays(days[0], moved);
    const exceptions = days.slice(0, own.length).map((day, index): ExceptionFields => {
      const fields = own[index] ?? null;
      if (index > 0 || moved === null || fields === null) return { slot: slotOf(day), own: fields };
      const { start, end } = times(target, wish.hour === 20 ? 19 : wish.hour + 1);
      return { slot: slotOf(day), own: { ...fields, start, end } };
    });
    const recurrence = [
      ...drawn.lines,
      ...(wish.beside ? [line('RDATE', '2026-12-24')] : []),
      ...excluded.map((day) => line('EXDATE', day)),
    ];
    const first = exceptions[0];
    const crosses = moved !== null && days[1] !== undefined && target >= days[1];
    return {
      content: { fields: { ...wish.details, ...wish.state, ...times(drawn.day), recurrence }, exceptions },
      isPatterned: drawn.isPatterned && !wish.beside,
      crossing: crosses && first?.own != null ? first.slot : null,
    };
  })
  // Whether an excluded day is a neighbour is not said anywhere.
  .filter(({ content, crossing }) => crossing !== null || !movesFar(content));

/** The end of an occurrence's id: its original start in UTC. */
function utc(day: string, at: number, inZone: string): string {
  const start = DateTime.fromISO(`${day}T${String(at).padStart(2, '0')}:30:00`, { zone: inZone });
  return start.toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'");
}

function movesFar({ exceptions }: Content): boolean {
  return exceptions.some(({ slot, own }) => {
    const start = own?.['start'] as { readonly dateTime: string } | undefined;
    return start !== undefined && start.dateTime.slice(0, 10).replaceAll('-', '') > `${slot.slice(0, 7)}9`;
  });
}

export const wish: fc.Arbitrary<Wish> = fc.oneof(single, series);
