import assert from 'node:assert/strict';
import type { NewEvent, ProviderEvent } from 'kalends/ports';
import { formatInstant } from 'kalends/zones';
import { readsAlike } from './fields.ts';
import { DAY_MS, HOUR_MS, MEETING, NINE, onStage, type ProviderConformanceOptions } from './world.ts';

type Times = Pick<NewEvent, 'start' | 'end' | 'isAllDay'>;

/** Zones with whole, half and odd offsets, with and without summer time, beyond the date line, and an old spelling. */
const ZONES = [
  'Europe/London',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Calcutta',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Pago_Pago',
  'America/Sao_Paulo',
  'Europe/Kyiv',
  'UTC',
];

/** Times round-trip unchanged: the instant, the zone's spelling, all-day dates. */
export function timeConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'times: a timed event keeps its instants and its zone, in summer and in winter', async (stage) => {
    for (const zone of ZONES) {
      for (const at of [NINE, NINE + 120 * DAY_MS]) {
        const times = timed(zone, at, zone, at + HOUR_MS);
        const event = await stage.create(times);
        has(event, times);
        await readsAlike(stage, event);
      }
    }
  });

  onStage(options, 'times: start and end may be in zones of their own', async (stage) => {
    const times = timed('America/New_York', NINE, 'Europe/London', NINE + 7 * HOUR_MS);
    const event = await stage.create(times);
    has(event, times);
    await readsAlike(stage, event);
    const moved = timed('Asia/Kolkata', NINE + DAY_MS, 'Europe/London', NINE + DAY_MS + HOUR_MS);
    const after = await stage.update(event, moved);
    has(after, moved);
    await readsAlike(stage, after);
  });

  onStage(options, 'times: days are days, in whatever zone the calendar is', async (stage) => {
    for (const [from, to] of [
      ['2026-03-02', '2026-03-03'],
      ['2026-03-28', '2026-03-31'],
      ['2026-12-31', '2027-01-01'],
    ] as const) {
      const event = await stage.create(days(from, to));
      has(event, days(from, to));
      await readsAlike(stage, event);
    }
  });

  onStage(options, 'times: an event may last no time, or a week', async (stage) => {
    for (const lengthMs of [0, 7 * DAY_MS]) {
      const times = timed('Europe/London', NINE, 'Europe/London', NINE + lengthMs);
      const event = await stage.create(times);
      has(event, times);
      await readsAlike(stage, event);
    }
  });

  onStage(options, 'times: timed becomes all-day and timed again', async (stage) => {
    const event = await stage.create({ title: 'Planning', location: 'Room 1' });
    const allDay = await stage.update(event, days('2026-03-02', '2026-03-04'));
    has(allDay, days('2026-03-02', '2026-03-04'));
    assert.equal(allDay.content?.location, 'Room 1');
    await readsAlike(stage, allDay);
    const times = timed('America/New_York', NINE, 'America/New_York', NINE + HOUR_MS);
    const again = await stage.update(allDay, times);
    has(again, times);
    await readsAlike(stage, again);
  });

  onStage(options, 'times: a series becomes all-day and timed again', async (stage) => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=4'];
    const series = await stage.create({ recurrence });
    const allDay = await stage.update(series, days('2026-03-02', '2026-03-03'));
    has(allDay, days('2026-03-02', '2026-03-03'));
    assert.deepEqual(allDay.content?.recurrence, recurrence);
    await readsAlike(stage, allDay);
    const again = await stage.update(allDay, { isAllDay: false, start: MEETING.start, end: MEETING.end });
    has(again, { isAllDay: false, start: MEETING.start, end: MEETING.end });
    assert.deepEqual(again.content?.recurrence, recurrence);
    await readsAlike(stage, again);
  });

  onStage(options, 'times: a series is moved with its rule', async (stage) => {
    const series = await stage.create({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4'] });
    const times = timed('Europe/London', NINE + DAY_MS, 'Europe/London', NINE + DAY_MS + HOUR_MS);
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4'];
    const after = await stage.update(series, { ...times, recurrence });
    has(after, times);
    assert.deepEqual(after.content?.recurrence, recurrence);
    await readsAlike(stage, after);
  });
}

export function timed(startZone: string, startMs: number, endZone: string, endMs: number): Times {
  return {
    isAllDay: false,
    start: { dateTime: formatInstant(startZone, startMs), timeZone: startZone },
    end: { dateTime: formatInstant(endZone, endMs), timeZone: endZone },
  };
}

/** Returns an all-day span from one date to another, exclusive. */
export function days(from: string, to: string): Times {
  const midnight = (date: string) => ({ dateTime: `${date}T00:00:00`, timeZone: '' });
  return { isAllDay: true, start: midnight(from), end: midnight(to) };
}

function has({ content }: ProviderEvent, { start, end, isAllDay }: Times): void {
  assert.ok(content !== null);
  assert.deepEqual({ start: content.start, end: content.end, isAllDay: content.isAllDay }, { start, end, isAllDay });
}
