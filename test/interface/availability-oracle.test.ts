import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { body, type Connected } from './steps.ts';
import { createWorld, type Json, type ProviderName, type World } from './world.ts';

/*
 * A slow answer to the question of POST /v1/availability, minute by minute, from what the providers themselves list: they expand
 * series, and know nothing of kalends.
 */

const RUNS = sizeOf('runs', { short: 150, long: 1_000 });
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Clocks go forward in Europe on the third day. */
const START = Date.UTC(2030, 2, 29);
const DAYS = 5;
/** Busy time around the window, for buffers. */
const MARGIN = DAY_MINUTES;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'] as const;
const iso = (minute: number) => new Date(START + minute * MINUTE_MS).toISOString();

interface RawSpan {
  readonly from: number;
  readonly to: number;
  readonly isAllDay: boolean;
  readonly isTentative: boolean;
}

const PEOPLE: readonly { readonly provider: ProviderName; readonly email: string }[] = [
  { provider: 'google', email: 'ada@gmail.example' },
  { provider: 'microsoft', email: 'ben@outlook.example' },
  { provider: 'google', email: 'cleo@gmail.example' },
  { provider: 'microsoft', email: 'dan@outlook.example' },
];

let world: World;
let accounts: readonly Connected[];
let raw: readonly (readonly RawSpan[])[];
beforeAll(async () => {
  world = await createWorld();
  accounts = await Promise.all(PEOPLE.map(({ provider, email }) => world.connect(provider, email)));
  const [plans] = fc.sample(
    fc.array(fc.array(event, { minLength: 8, maxLength: 12 }), { minLength: 4, maxLength: 4 }),
    {
      numRuns: 1,
      seed: 20,
    },
  );
  for (const [index, person] of PEOPLE.entries()) {
    for (const plan of plans?.[index] ?? []) {
      const path = person.provider === 'google' ? '/calendars/primary/events' : '/me/events';
      const sent = person.provider === 'google' ? googleEvent(plan) : graphEvent(plan);
      await world.atProvider(person.provider, person.email, 'POST', path, sent);
    }
  }
  raw = await Promise.all(PEOPLE.map(({ provider, email }) => rawSpans(provider, email)));
  expect(raw.every((spans) => spans.length > 4)).toBe(true);
}, 60_000);
afterAll(() => world.close());

const event = fc.record({
  hour: fc.integer({ min: -20, max: DAYS * 24 }),
  minute: fc.constantFrom(0, 15, 30, 50),
  length: fc.integer({ min: 10, max: 300 }),
  days: fc.integer({ min: 0, max: 9 }),
  kind: fc.constantFrom('busy', 'busy', 'tentative', 'free'),
  count: fc.constantFrom(1, 1, 4),
});
type Plan = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

function timesOf({ hour, minute, length, days }: Plan) {
  const from = hour * 60 + minute;
  const isAllDay = days === 1;
  const date = (day: number) => iso(day * DAY_MINUTES).slice(0, 10);
  const day = Math.floor(hour / 24);
  return { isAllDay, from: iso(from), to: iso(from + length), firstDate: date(day), endDate: date(day + 1) };
}

function googleEvent(plan: Plan): Json {
  const { isAllDay, from, to, firstDate, endDate } = timesOf(plan);
  return {
    summary: 'Raw',
    start: isAllDay ? { date: firstDate } : { dateTime: from, timeZone: 'Europe/Berlin' },
    end: isAllDay ? { date: endDate } : { dateTime: to, timeZone: 'Europe/Berlin' },
    status: plan.kind === 'tentative' ? 'tentative' : 'confirmed',
    transparency: plan.kind === 'free' ? 'transparent' : 'opaque',
    ...(plan.count > 1 ? { recurrence: [`RRULE:FREQ=DAILY;COUNT=${plan.count}`] } : {}),
  };
}

function graphEvent(plan: Plan): Json {
  const { isAllDay, from, to, firstDate, endDate } = timesOf(plan);
  const point = (text: string) => ({ dateTime: text.replace('Z', ''), timeZone: 'UTC' });
  const start = isAllDay ? point(`${firstDate}T00:00:00`) : point(from);
  return {
    subject: 'Raw',
    isAllDay,
    start,
    end: isAllDay ? point(`${endDate}T00:00:00`) : point(to),
    showAs: plan.kind,
    ...(plan.count > 1
      ? {
          recurrence: {
            pattern: { type: 'daily', interval: 1 },
            range: {
              type: 'numbered',
              startDate: start.dateTime.slice(0, 10),
              numberOfOccurrences: plan.count,
              recurrenceTimeZone: 'UTC',
            },
          },
        }
      : {}),
  };
}

/** Reads a mailbox as its provider lists it, with every occurrence. */
async function rawSpans(provider: ProviderName, email: string): Promise<readonly RawSpan[]> {
  const [from, to] = [iso(-2 * MARGIN), iso(DAYS * DAY_MINUTES + 2 * MARGIN)];
  const minuteOf = (text: string) => (Date.parse(text) - START) / MINUTE_MS;
  if (provider === 'google') {
    const path = `/calendars/primary/events?singleEvents=true&maxResults=2500&timeMin=${from}&timeMax=${to}`;
    const { items } = await world.atProvider(provider, email, 'GET', path);
    return items.flatMap((item: Json) => {
      if (item.transparency === 'transparent') return [];
      const isAllDay = item.start.date !== undefined;
      return {
        from: isAllDay ? berlinMidnight(item.start.date) : minuteOf(item.start.dateTime),
        to: isAllDay ? berlinMidnight(item.end.date) : minuteOf(item.end.dateTime),
        isAllDay,
        isTentative: item.status === 'tentative',
      };
    });
  }
  const path = `/me/calendarView?$top=500&startDateTime=${from}&endDateTime=${to}`;
  const { value } = await world.atProvider(provider, email, 'GET', path);
  return value.flatMap(({ start, end, isAllDay, showAs }: Json) => {
    if (showAs === 'free') return [];
    return {
      from: isAllDay ? berlinMidnight(start.dateTime.slice(0, 10)) : minuteOf(`${start.dateTime}Z`),
      to: isAllDay ? berlinMidnight(end.dateTime.slice(0, 10)) : minuteOf(`${end.dateTime}Z`),
      isAllDay,
      isTentative: showAs === 'tentative',
    };
  });
}

/** Wall-clock minutes of a zone, as Intl has them; the day is that of the week, from Sunday. */
function clockOf(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const clock = new Map<number, { readonly day: string; readonly minute: number }>();
  return (at: number) => {
    const known = clock.get(at);
    if (known !== undefined) return known;
    const [day = '', hour, minute] = format.format(START + at * MINUTE_MS).split(/[ :,]+/);
    const read = { day: day.slice(0, 2).toUpperCase(), minute: Number(hour) * 60 + Number(minute) };
    clock.set(at, read);
    return read;
  };
}
const CLOCKS = Object.fromEntries(ZONES.map((zone) => [zone, clockOf(zone)]));

/** The first minute of a date in Berlin: the zone of every mailbox. */
function berlinMidnight(date: string): number {
  const guess = (Date.parse(`${date}T00:00:00Z`) - START) / MINUTE_MS;
  const found = [guess - 120, guess - 60].find((at) => CLOCKS['Europe/Berlin']?.(at).minute === 0);
  if (found === undefined) throw new Error(`no midnight of ${date}`);
  return found;
}

const participant = fc.record({
  zone: fc.constantFrom(...ZONES),
  role: fc.constantFrom('required', 'required', 'optional', 'member'),
  people: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 2 }),
  isOpenByDay: fc.boolean(),
  busy: fc.array(fc.record({ from: fc.integer({ min: -100, max: DAYS * DAY_MINUTES }), length: fc.nat(200) }), {
    maxLength: 3,
  }),
  before: fc.constantFrom(0, 0, 10, 25),
  after: fc.constantFrom(0, 0, 5, 90),
});
const question = fc.record({
  zone: fc.constantFrom(...ZONES),
  duration: fc.constantFrom(5, 30, 45, 60, 150),
  step: fc.constantFrom(15, 20, 30, 60),
  from: fc.integer({ min: 0, max: 3 * DAY_MINUTES }),
  length: fc.integer({ min: 60, max: 2 * DAY_MINUTES }),
  participants: fc.array(participant, { minLength: 1, maxLength: 4 }),
  take: fc.constantFrom(1, 2),
  isAllDayBusy: fc.boolean(),
  isTentativeBusy: fc.boolean(),
});
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

const WEEK = ['MO', 'TU', 'WE', 'TH', 'FR'];

function sentOf({ zone, duration, step, from, length, participants, take, ...flags }: Question): Json {
  const members = participants.flatMap(({ role }, index) => (role === 'member' ? [`p${index}`] : []));
  return {
    startDateTime: iso(from),
    endDateTime: iso(from + length),
    timeZone: zone,
    durationMinutes: duration,
    stepMinutes: step,
    limit: 1_000,
    ...flags,
    participants: participants.map((one, index) => ({
      id: `p${index}`,
      timeZone: one.zone,
      ...(one.role === 'member' ? {} : { role: one.role }),
      accounts: one.people.map((person) => ({
        endUserAccountId: accounts[person]?.accountId,
        calendarIds: [accounts[person]?.calendarId],
      })),
      busy: one.busy.map(({ from: at, length: minutes }) => ({
        startDateTime: iso(at),
        endDateTime: iso(at + minutes),
      })),
      bufferBeforeMinutes: one.before,
      bufferAfterMinutes: one.after,
      ...(one.isOpenByDay ? { openHours: [{ days: WEEK, start: '08:30', end: '18:00' }] } : {}),
    })),
    ...(members.length === 0 ? {} : { groups: [{ id: 'rooms', members, take: Math.min(take, members.length) }] }),
  };
}

/** Whether a participant is free for a slot: each minute of it, and of its buffers, is looked up. */
function isFree(one: Question['participants'][number], start: number, asked: Question): boolean {
  const spans = one.people.flatMap((person) => raw[person] ?? []);
  const busy = [
    ...spans.filter(
      ({ isAllDay, isTentative }) => (asked.isAllDayBusy || !isAllDay) && (asked.isTentativeBusy || !isTentative),
    ),
    ...one.busy.map(({ from, length }) => ({ from, to: from + length })),
  ];
  for (let at = start - one.before; at < start + asked.duration + one.after; at += 1) {
    if (busy.some(({ from, to }) => at < to && at + 1 > from)) return false;
    if (!one.isOpenByDay || at < start || at >= start + asked.duration) continue;
    const { day, minute } = CLOCKS[one.zone]?.(at) ?? { day: '', minute: 0 };
    if (!WEEK.includes(day) || minute < 510 || minute >= 1_080) return false;
  }
  return true;
}

function expectedSlots(asked: Question): Json {
  const { from, length, duration, step, participants, take } = asked;
  const slots = [];
  const members = participants.filter(({ role }) => role === 'member');
  for (let start = from; start + duration <= from + length; start += 1) {
    if ((CLOCKS[asked.zone]?.(start).minute ?? 1) % step !== 0) continue;
    const free = participants.map((one) => isFree(one, start, asked));
    if (participants.some(({ role }, index) => role === 'required' && free[index] === false)) continue;
    let chosen = 0;
    const wanted = Math.min(take, members.length);
    const isTaken = participants.map(({ role }, index) => {
      if (free[index] !== true) return false;
      if (role !== 'member') return true;
      chosen += 1;
      return chosen <= wanted;
    });
    if (Math.min(chosen, wanted) < wanted) continue;
    const ids = (is: (index: number) => boolean) =>
      participants.flatMap((_, index) => (is(index) ? [`p${index}`] : []));
    slots.push([
      iso(start),
      ids((index) => isTaken[index] === true),
      ids((index) => participants[index]?.role === 'optional' && free[index] === false),
    ]);
  }
  return slots;
}

it('POST /v1/availability answers what a search of every minute of the providers finds', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      question.filter(({ participants }) => participants.some(({ role }) => role !== 'optional')),
      async (asked) => {
        const answer = body(await world.call('POST', '/v1/availability', { body: sentOf(asked) }));
        const expected = expectedSlots(asked);
        const shown = answer.slots.map(({ start, participants, absent }: Json) => [
          new Date(start.dateTime).toISOString(),
          participants,
          absent,
        ]);
        expect(shown).toEqual(expected);
        expect(answer.total).toBe(expected.length);
        found += expected.length;
      },
    ),
    { numRuns: RUNS },
  );
  expect(found).toBeGreaterThan(RUNS);
}, 300_000);
