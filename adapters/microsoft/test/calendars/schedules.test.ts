import type { PersonBusy } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, BEN, createHarness, type Harness } from '../harness.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONDAY = Date.UTC(2026, 2, 2);

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const graphTime = (ms: number) => ({ dateTime: new Date(ms).toISOString().slice(0, 19), timeZone: 'UTC' });
const put = (startMs: number, endMs: number, fields: object = {}) =>
  harness.graph(BEN, 'POST', '/me/events', {
    subject: 'Secret',
    start: graphTime(startMs),
    end: graphTime(endMs),
    ...fields,
  });
const ask = async (addresses: readonly string[], startMs = MONDAY, endMs = MONDAY + 7 * DAY_MS) => {
  const session = await harness.session(ADA);
  return (await harness.provider.freeBusy?.query(session, { addresses, window: { startMs, endMs } })) ?? [];
};
const told = (people: readonly PersonBusy[]) =>
  people.map((person) =>
    'error' in person
      ? person.error.reason
      : person.spans.map(({ startMs, endMs, type }) => [startMs - MONDAY, endMs - MONDAY, type]),
  );
const calls = () => harness.sandbox.requests.list().filter(({ path }) => path.endsWith('/getSchedule'));

describe('free/busy of people by their addresses', () => {
  test('has the kinds of busy time; an all-day event is a day of its person', async () => {
    await put(MONDAY + HOUR_MS, MONDAY + 2 * HOUR_MS, { showAs: 'oof' });
    await put(MONDAY + HOUR_MS, MONDAY + 3 * HOUR_MS, { showAs: 'tentative' });
    await put(MONDAY + 4 * HOUR_MS, MONDAY + 5 * HOUR_MS, { showAs: 'free' });
    await put(MONDAY + DAY_MS, MONDAY + 2 * DAY_MS, { isAllDay: true, showAs: 'workingElsewhere' });
    expect(told(await ask([BEN]))).toEqual([
      [
        [HOUR_MS, 2 * HOUR_MS, 'oof'],
        [HOUR_MS, 3 * HOUR_MS, 'tentative'],
        // Berlin is an hour ahead of UTC.
        [DAY_MS - HOUR_MS, 2 * DAY_MS - HOUR_MS, 'workingElsewhere'],
      ],
    ]);
  });

  test('is read from merged time where a person shares no more, in slots of five minutes', async () => {
    await put(MONDAY + HOUR_MS, MONDAY + HOUR_MS + 7 * 60_000);
    await put(MONDAY + 2 * HOUR_MS, MONDAY + 3 * HOUR_MS, { showAs: 'tentative' });
    const merged = [
      [HOUR_MS, HOUR_MS + 10 * 60_000, 'busy'],
      [2 * HOUR_MS, 3 * HOUR_MS, 'tentative'],
    ];
    await harness.control('setScheduleDetail', { email: BEN, detail: 'merged' });
    expect(told(await ask([BEN], MONDAY + 1))).toEqual([merged]);
    await harness.control('setScheduleDetail', { email: BEN, detail: 'times' });
    expect(told(await ask([BEN]))).toEqual([[[HOUR_MS, HOUR_MS + 7 * 60_000, 'busy'], merged[1]]]);
    await harness.control('setScheduleDetail', { email: BEN, detail: 'none' });
    expect(told(await ask([BEN, ADA, 'nobody@contoso.test', 'x@other.test']))).toEqual([
      'forbidden',
      [],
      'not-found',
      'not-found',
    ]);
  });

  test('takes a year, forty addresses and a window of a second, by calls that Graph admits', async () => {
    for (const day of [0, 100, 365]) await put(MONDAY + day * DAY_MS, MONDAY + day * DAY_MS + HOUR_MS);
    const others = Array.from({ length: 39 }, (_, n) => `p${n}@contoso.test`);
    const [ben, ...rest] = told(await ask([BEN, ...others], MONDAY + 1, MONDAY + 366 * DAY_MS));
    expect([...(ben as number[][])].map(([start]) => start).sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      [0, 100, 365].map((day) => day * DAY_MS),
    );
    expect(new Set(rest)).toEqual(new Set(['not-found']));
    expect(calls()).toHaveLength(2 * 6);
    expect(told(await ask([BEN], MONDAY + 1, MONDAY + 1_001))).toEqual([[[0, HOUR_MS, 'busy']]]);
  });

  test('asks for halves of the window for a person with more entries than Graph lists', async () => {
    const range = { type: 'numbered', startDate: '2026-03-02', numberOfOccurrences: 60 };
    const recurrence = { pattern: { type: 'daily', interval: 1 }, range };
    for (let n = 0; n < 20; n += 1) await put(MONDAY + n * HOUR_MS, MONDAY + (n + 1) * HOUR_MS, { recurrence });
    const [ben] = await ask([BEN, ADA], MONDAY, MONDAY + 60 * DAY_MS);
    const spans = ben !== undefined && 'spans' in ben ? ben.spans : [];
    expect(new Set(spans.map(({ startMs }) => startMs)).size).toBe(1_200);
  });
});
