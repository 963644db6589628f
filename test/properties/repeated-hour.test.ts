import { manualClock } from '@kalends/conformance';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDavWorld, type DavMailbox, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import { body, type Connected, eventsPath, query } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';
import { sizeOf } from '../size-of.ts';
import { slowInstantOf, slowWallAt } from '../zones/slow-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RUNS = sizeOf('runs', { short: 8, long: 60 });

/** Instants at which the clocks go back or, in the last one, forward. */
const CHANGES = [
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
  ['America/New_York', '2027-03-14T07:00:00Z'],
] as const;

/** A series near a change of the clocks; `starts` are its occurrences, ascending. */
interface Case {
  readonly zone: string;
  readonly starts: readonly number[];
  readonly lines: readonly string[];
}

const utc = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
const wallText = (zone: string, ms: number) => new Date(slowWallAt(zone, ms)).toISOString().slice(0, 19);

const change = fc.constantFrom(...CHANGES).map(([zone, at]) => ({ zone, at: Date.parse(at) }));

/** Steps of elapsed time. */
const stepped: fc.Arbitrary<Case> = fc
  .record({ change, step: fc.constantFrom(15, 20, 30, 45, 60, 120), before: fc.integer({ min: 2, max: 12 }) })
  .map(({ change: { zone, at }, step, before }) => {
    const first = at - before * step * MINUTE_MS;
    const rule = step % 60 === 0 ? `HOURLY;INTERVAL=${step / 60}` : `MINUTELY;INTERVAL=${step}`;
    const starts = Array.from({ length: before + 12 }, (_, index) => first + index * step * MINUTE_MS);
    return { zone, starts, lines: [`RRULE:FREQ=${rule};COUNT=${starts.length}`] };
  });

/** Dates in UTC. */
const listed: fc.Arbitrary<Case> = fc
  .record({ change, offsets: fc.uniqueArray(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 10 }) })
  .map(({ change: { zone, at }, offsets }) => {
    const dates = offsets.map((offset) => at + offset * 15 * MINUTE_MS).sort((a, b) => a - b);
    const first = at - 24 * HOUR_MS;
    return { zone, starts: [first, ...dates], lines: [`RDATE:${dates.map(utc).join(',')}`] };
  });

/** Days by the clock. */
const daily: fc.Arbitrary<Case> = fc
  .record({ change, quarter: fc.integer({ min: -6, max: 6 }) })
  .map(({ change: { zone, at }, quarter }) => {
    const dayMs = 24 * HOUR_MS;
    const first = slowWallAt(zone, at) + quarter * 15 * MINUTE_MS - 2 * dayMs;
    const starts = Array.from({ length: 5 }, (_, day) => slowInstantOf(zone, first + day * dayMs));
    return { zone, starts, lines: ['RRULE:FREQ=DAILY;COUNT=5'] };
  });

/** Edits of an occurrence, by number: those of an hour that the clocks repeat come first; one that is gone comes back. */
const edits = fc.array(fc.record({ at: fc.nat(), kind: fc.constantFrom('delete', 'rename') }), {
  minLength: 1,
  maxLength: 5,
});

const clock = manualClock(Date.UTC(2026, 8, 1));
let world: World;
let mailbox: DavMailbox;
const places = new Map<string, Connected>();
beforeAll(async () => {
  world = await createDavWorld({ clock, sync: { freshWithoutPushMs: 0.001 } }, (_request, pass) => pass());
  for (const name of ['google', 'microsoft'] as const) places.set(name, await world.connect(name));
  mailbox = await fillDavMailbox(world, 0, []);
  places.set('caldav', { ...mailbox, email: '' });
});
afterAll(() => world.close());

/** Makes a series as another program of the person does, whose rules the interface would not take. */
const makers: Readonly<Record<string, (at: Connected, title: string, series: Case) => Promise<unknown>>> = {
  async google({ email, calendarId }, summary, { zone, starts: [first = 0], lines }) {
    const time = (ms: number) => ({ dateTime: wallText(zone, ms), timeZone: zone });
    const path = `/calendars/${encodeURIComponent(calendarId)}/events`;
    const event = { summary, start: time(first), end: time(first), recurrence: lines };
    const made = await world.atProvider('google', email, 'POST', path, event);
    expect(made.id, JSON.stringify(made)).toBeDefined();
  },
  async microsoft(at, title, { zone, starts: [first = 0], lines }) {
    const time = { dateTime: wallText(zone, first), timeZone: zone };
    const sent = { title, start: time, end: time, recurrence: lines };
    body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  },
  async caldav({ calendarId }, title, { zone, starts: [first = 0], lines }) {
    const start = wallText(zone, first).replaceAll(/[-:]/g, '');
    const times = [`DTSTART;TZID=${zone}:${start}`, `DTEND;TZID=${zone}:${start}`];
    const event = ['BEGIN:VEVENT', `UID:${title}`, 'DTSTAMP:20260901T000000Z', `SUMMARY:${title}`, ...times, ...lines];
    const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', ...event, 'END:VEVENT', 'END:VCALENDAR', ''];
    await mailbox.put(`${Buffer.from(calendarId, 'base64url')}${title}.ics`, text.join('\r\n'));
  },
};

/** Starts of the occurrences with their titles. */
type Shown = ReadonlyMap<string, string>;

const shownOf = (events: readonly Json[]): Shown =>
  new Map(events.map(({ start, title }): [string, string] => [new Date(start.dateTime).toISOString(), title]).sort());

let count = 0;

async function checkCase(provider: string, series: Case, steps: readonly { at: number; kind: string }[]) {
  const at = places.get(provider)!;
  count += 1;
  const title = `case${count}`;
  await makers[provider]!(at, title, series);
  const [first = 0] = series.starts;
  const window = {
    startDateTime: new Date(first - 1).toISOString(),
    endDateTime: new Date((series.starts.at(-1) ?? 0) + 1).toISOString(),
    expandRecurrences: true,
    search: title,
    limit: 1000,
  };
  const list = async (): Promise<Json> => {
    await clock.advance(1);
    return body(await world.call('GET', eventsPath(at) + query(window)));
  };
  const before = await list();
  const expected = new Map(series.starts.map((ms): [string, string] => [new Date(ms).toISOString(), title]));
  expect([...shownOf(before.data)]).toEqual([...expected]);
  const ids = new Map<string, string>(
    before.data.map(({ id, start }: Json) => [new Date(start.dateTime).toISOString(), id]),
  );
  expect(new Set(ids.values()).size).toBe(series.starts.length);

  const walls = series.starts.map((ms) => slowWallAt(series.zone, ms));
  const isRepeated = (index: number) => walls.filter((wall) => wall === walls[index]).length > 1;
  const order = [...walls.keys()].sort((a, b) => Number(isRepeated(b)) - Number(isRepeated(a)) || a - b);
  for (const { at: choice, kind } of steps) {
    const start = new Date(series.starts[order[choice % Math.min(6, order.length)]!]!).toISOString();
    const path = eventsPath(at, ids.get(start)!);
    if (!expected.has(start)) {
      body(await world.call('PUT', path, { body: { isCancelled: false, title: `${title} back` } }));
      expected.set(start, `${title} back`);
    } else if (kind === 'delete') {
      body(await world.call('DELETE', path));
      expected.delete(start);
    } else {
      body(await world.call('PUT', path, { body: { title: `${title} renamed` } }));
      expected.set(start, `${title} renamed`);
    }
    const now = await list();
    expect([...shownOf(now.data)]).toEqual([...expected].sort());
    expect(new Set(now.data.map(({ id }: Json) => id)).size).toBe(expected.size);
  }
  for (const [start, id] of ids) {
    const one = body(await world.call('GET', eventsPath(at, id)));
    expect(new Date(one.start.dateTime).toISOString()).toBe(start);
    expect(new Date(one.originalStart.dateTime).toISOString()).toBe(start);
    expect(one).toMatchObject({ id, isCancelled: !expected.has(start), title: expected.get(start) ?? title });
  }
  const held = new Map<string, Json>(before.data.map((event: Json) => [event.id, event]));
  const sync = body(await world.call('GET', eventsPath(at) + query({ syncToken: before.nextSyncToken })));
  for (const event of sync.data) {
    if (event.isDeleted) held.delete(event.id);
    else held.set(event.id, event);
  }
  expect([...shownOf([...held.values()])]).toEqual([...expected].sort());
}

describe.each([
  ['google', fc.oneof(stepped, listed, daily)],
  ['caldav', fc.oneof(stepped, listed, daily)],
  ['microsoft', daily],
] as const)('at %s each occurrence around a change of the clocks', (provider, series) => {
  it('has its own id, and is deleted and changed alone', async () => {
    await fc.assert(
      fc.asyncProperty(series, edits, async (one, steps) => {
        await checkCase(provider, one, steps);
      }),
      { numRuns: RUNS },
    );
  });
});
