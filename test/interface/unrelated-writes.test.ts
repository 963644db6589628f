import fc from 'fast-check';
import { intlZones, wallAt } from 'kalends/zones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { body, type Connected, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19);

describe.each(PROVIDERS)('writes of $providerType that say nothing of times', ({ provider }) => {
  let at: Connected;
  beforeAll(async () => {
    at = await world.connect(provider);
  });
  const call = async (method: string, path: string, sent?: unknown, status = 200) =>
    body(await world.call(method, path, sent === undefined ? {} : { body: sent }), status);

  function seriesOf(zone: string | null, start: string, end: string, rule: string): Json {
    const point = (text: string) => (zone === null ? { date: text } : { dateTime: text, timeZone: zone });
    return { title: 'Series', start: point(start), end: point(end), recurrence: [`RRULE:${rule}`] };
  }

  const newSeries = (...of: Parameters<typeof seriesOf>): Promise<Json> =>
    call('POST', eventsPath(at), seriesOf(...of), 201);

  /** Start and end of each occurrence, by its original start. */
  async function times(seriesId: string, from: number, to: number): Promise<readonly Json[]> {
    const window = query({ startDateTime: `${iso(from)}Z`, endDateTime: `${iso(to)}Z` });
    const { data } = await call('GET', `${eventsPath(at, seriesId)}/occurrences${window}`);
    return data.map(({ id, start, end }: Json) => ({ id, start, end }));
  }

  async function busy(from: string, to: string): Promise<readonly Json[]> {
    const sent = { startDateTime: from, endDateTime: to, timeZone: 'UTC', calendarIds: [at.calendarId] };
    const [{ busySlots }] = await call('POST', `/v1/freeBusy/${at.accountId}`, sent);
    return busySlots.map(({ start, end }: Json) => [start.dateTime.slice(0, 19), end.dateTime.slice(0, 19)]);
  }

  it.each([
    [
      'a start in a gap',
      'Europe/London',
      '2027-03-27T01:30',
      '2027-03-27T02:30',
      '2027-03-28T02:30:00+01:00',
      '2027-03-28T03:30:00+01:00',
    ],
    [
      'both in a gap',
      'Europe/London',
      '2027-03-27T01:10',
      '2027-03-27T01:20',
      '2027-03-28T02:10:00+01:00',
      '2027-03-28T02:20:00+01:00',
    ],
    [
      'an end in a gap',
      'Europe/London',
      '2027-03-27T00:30',
      '2027-03-27T01:30',
      '2027-03-28T00:30:00+00:00',
      '2027-03-28T02:30:00+01:00',
    ],
    [
      'a gap in between',
      'America/New_York',
      '2027-03-13T22:00',
      '2027-03-14T06:00',
      '2027-03-13T22:00:00-05:00',
      '2027-03-14T06:00:00-04:00',
    ],
    [
      'a start in an overlap',
      'Europe/London',
      '2027-10-30T01:30',
      '2027-10-30T02:30',
      '2027-10-31T01:30:00+01:00',
      '2027-10-31T02:30:00+00:00',
    ],
    [
      'an end in an overlap',
      'Europe/London',
      '2027-10-30T00:30',
      '2027-10-30T01:30',
      '2027-10-31T00:30:00+01:00',
      '2027-10-31T01:30:00+01:00',
    ],
    [
      'an overlap in between',
      'America/New_York',
      '2027-11-05T22:00',
      '2027-11-06T06:00',
      '2027-11-06T22:00:00-04:00',
      '2027-11-07T06:00:00-05:00',
    ],
    [
      'half an hour of a gap',
      'Australia/Lord_Howe',
      '2027-10-02T02:15',
      '2027-10-02T02:45',
      '2027-10-03T02:45:00+11:00',
      '2027-10-03T03:15:00+11:00',
    ],
  ])('%s', async (_what, zone, from, to, start, end) => {
    const series = await newSeries(zone, from, to, 'FREQ=DAILY;COUNT=4');
    const first = Date.parse(`${from}Z`);
    const read = () => times(series.id, first - 2 * DAY_MS, first + 7 * DAY_MS);
    const before = await read();
    const hit = before.find((record) => record.start.dateTime === start);
    expect(hit?.end.dateTime).toBe(end);
    const id = hit.id;
    const utc = (text: string) => new Date(text).toISOString().slice(0, 19);
    expect(await busy(start, end)).toEqual([[utc(start), utc(end)]]);
    expect(await call('PUT', eventsPath(at, id), { title: 'Mine' })).toMatchObject({ start: hit.start, end: hit.end });
    expect(await read()).toEqual(before);
    const record = await call('GET', eventsPath(at, id));
    await call('PUT', eventsPath(at, id), { ...record, title: 'Mine again', etag: undefined });
    await call('PUT', eventsPath(at, series.id), { title: 'Theirs', location: 'Here' });
    expect(await read()).toEqual(before);
    await call('PUT', `${eventsPath(at, before[1].id)}?scope=all`, { title: 'All' });
    expect(await read()).toEqual(before);
    await call('DELETE', eventsPath(at, series.id));
  });

  it('a day that the clocks make longer or shorter stays a day', async () => {
    const series = await newSeries(null, '2027-03-27', '2027-03-28', 'FREQ=DAILY;COUNT=4');
    const read = () => times(series.id, Date.UTC(2027, 2, 25), Date.UTC(2027, 3, 3));
    const before = await read();
    await call('PUT', eventsPath(at, `${series.id}_20270328`), { title: 'Mine' });
    await call('PUT', eventsPath(at, series.id), { title: 'Theirs' });
    expect(await read()).toEqual(before);
    await call('DELETE', eventsPath(at, series.id));
  });

  it('no time of any occurrence changes, wherever its clocks do', async () => {
    const changes = changesOfClocks(2027);
    const inLondon = changes.find(({ zone, skippedMs }) => zone === 'Europe/London' && skippedMs > 0);
    if (inLondon === undefined) throw new Error('no clock of Europe/London goes forward in 2027');
    const arbitrary = fc.record({
      change: fc.constantFrom(...changes),
      // Of the start, in minutes around the change.
      offset: fc.integer({ min: -36, max: 36 }).map((fives) => fives * 5),
      length: fc.oneof(fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 280 })).map((fives) => fives * 5),
      days: fc.integer({ min: 1, max: 2 }),
      rule: fc.constantFrom('FREQ=DAILY;COUNT=4', 'FREQ=DAILY;INTERVAL=2;COUNT=3'),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ change: { zone, wallMs, skippedMs }, offset, length, days, rule }) => {
        const first = wallMs + offset * 60_000 - days * DAY_MS;
        const end = first + length * 60_000;
        // A first occurrence that ends at a time of day that its clocks do not show is refused.
        if (end >= wallMs && end < wallMs + skippedMs) {
          const sent = { body: seriesOf(zone, iso(first), iso(end), rule) };
          expectProblem(await world.call('POST', eventsPath(at), sent), 400, 'InvalidRequest', 'end');
          return;
        }
        const series = await newSeries(zone, iso(first), iso(end), rule);
        const read = () => times(series.id, first - 3 * DAY_MS, first + 9 * DAY_MS);
        const before = await read();
        expect(before.length).toBeGreaterThan(2);
        for (const { start, end } of before)
          expect(Date.parse(end.dateTime)).toBeGreaterThanOrEqual(Date.parse(start.dateTime));
        const target = before[Math.min(before.length - 1, rule.includes('INTERVAL') ? 1 : days)];
        await call('PUT', eventsPath(at, target.id), { title: 'Mine' });
        expect(await read()).toEqual(before);
        await call('PUT', eventsPath(at, series.id), { title: 'Theirs' });
        expect(await read()).toEqual(before);
        await call('DELETE', eventsPath(at, series.id));
      }),
      {
        numRuns: sizeOf('runs', { short: 8, long: 60 }),
        examples: [[{ change: inLondon, offset: 50, length: 1390, days: 1, rule: 'FREQ=DAILY;COUNT=4' }]],
      },
    );
  });
});

interface ClockChange {
  readonly zone: string;
  /** The wall time of the change, as it stands before it. */
  readonly wallMs: number;
  /** How much wall time is skipped from there; negative where it is told twice. */
  readonly skippedMs: number;
}

/** The changes of a year in zones of many kinds. */
function changesOfClocks(year: number): readonly ClockChange[] {
  const zones = [
    'Europe/London',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'America/Santiago',
    'Africa/Cairo',
  ];
  return zones.flatMap((zone) => {
    const found: ClockChange[] = [];
    for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 1_800_000) {
      const offset = (ms: number) => wallAt(zone, ms, intlZones) - ms;
      const [before, after] = [offset(at - 1_800_000), offset(at)];
      if (before !== after) found.push({ zone, wallMs: at + before, skippedMs: after - before });
    }
    return found;
  });
}
