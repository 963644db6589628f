import { beforeEach, describe, expect, test } from 'vitest';
import { control, EVENTS, type Google, insert, type Json, reasonOf, startGoogle, timed, WEEKLY } from './harness.ts';

let google: Google;
let master: Json;

beforeEach(async () => {
  google = startGoogle();
  master = await insert(google, WEEKLY);
});

const instancePath = (date: string) => `${EVENTS}/${master.id}_${date}T090000Z`;

async function instances(query: Record<string, string> = {}): Promise<Json[]> {
  return (await google.ada('GET', `${EVENTS}/${master.id}/instances`, { query })).body.items;
}

async function single(query: Record<string, string> = {}): Promise<string[]> {
  const { body } = await google.ada('GET', EVENTS, { query: { singleEvents: 'true', orderBy: 'startTime', ...query } });
  return body.items.map((item: Json) => `${item.start?.dateTime} ${item.summary} ${item.status}`);
}

describe('instances', () => {
  test('come by original start, with their ids and the master behind them', async () => {
    const items = await instances();
    expect(items).toHaveLength(6);
    expect(items[4]).toMatchObject({
      id: `${master.id}_20260330T080000Z`,
      recurringEventId: master.id,
      originalStartTime: { dateTime: '2026-03-30T09:00:00+01:00' },
      start: { dateTime: '2026-03-30T09:00:00+01:00' },
    });
    expect(items[0].recurrence).toBeUndefined();
  });

  test('pages and bounds, both exclusive', async () => {
    const page = await google.ada('GET', `${EVENTS}/${master.id}/instances`, { query: { maxResults: '4' } });
    const rest = await google.ada('GET', `${EVENTS}/${master.id}/instances`, {
      query: { maxResults: '4', pageToken: page.body.nextPageToken },
    });
    expect([page.body.items.length, rest.body.items.length]).toEqual([4, 2]);
    const within = await instances({ timeMin: '2026-03-09T10:00:00Z', timeMax: '2026-03-23T09:00:00Z' });
    expect(within.map((item) => item.start.dateTime)).toEqual(['2026-03-16T09:00:00Z']);
    const one = await instances({ originalStart: '2026-03-16T09:00:00Z' });
    expect(one).toHaveLength(1);
  });

  test('originalStart filters the page that was cut before, and misses what was moved', async () => {
    const query = { originalStart: '2026-03-23T09:00:00Z', maxResults: '2' };
    const first = await google.ada('GET', `${EVENTS}/${master.id}/instances`, { query });
    expect(first.body).toMatchObject({ items: [], nextPageToken: expect.any(String) });
    const next = { ...query, pageToken: first.body.nextPageToken };
    const second = await google.ada('GET', `${EVENTS}/${master.id}/instances`, { query: next });
    expect(second.body.items.map((item: Json) => item.start.dateTime)).toEqual(['2026-03-23T09:00:00Z']);
    await google.ada('PATCH', instancePath('20260316'), { body: timed('2026-03-17T09:00:00', '2026-03-17T10:00:00') });
    expect(await instances({ originalStart: '2026-03-16T09:00:00Z' })).toEqual([]);
  });

  test('an id that the rule does not give is 404', async () => {
    expect((await google.ada('GET', instancePath('20260303'))).status).toBe(404);
    expect((await google.ada('GET', instancePath('20260309'))).status).toBe(200);
  });

  test('moving one makes an exception that keeps its original start', async () => {
    const { body } = await google.ada('PATCH', instancePath('20260309'), {
      body: { summary: 'Moved', ...timed('2026-03-10T14:00:00', '2026-03-10T15:00:00') },
    });
    expect(body).toMatchObject({
      recurringEventId: master.id,
      originalStartTime: { dateTime: '2026-03-09T09:00:00Z' },
      start: { dateTime: '2026-03-10T14:00:00Z' },
      sequence: 1,
    });
    const all = await single();
    expect(all[1]).toBe('2026-03-10T14:00:00Z Moved confirmed');
    expect(all).toHaveLength(6);
    const unexpanded = (await google.ada('GET', EVENTS)).body.items;
    expect(unexpanded.map((item: Json) => item.id)).toEqual([master.id, `${master.id}_20260309T090000Z`]);
  });

  test('recurrence on an instance is refused', async () => {
    const answer = await google.ada('PATCH', instancePath('20260309'), { body: { recurrence: ['RRULE:FREQ=DAILY'] } });
    expect(answer.status).toBe(400);
  });

  test('deleting one leaves a cancelled stub that lists tell as documented', async () => {
    expect((await google.ada('DELETE', instancePath('20260309'))).status).toBe(204);
    const stub = { id: `${master.id}_20260309T090000Z`, status: 'cancelled', recurringEventId: master.id };
    // showDeleted and singleEvents both false: the stub is told.
    expect((await google.ada('GET', EVENTS)).body.items).toMatchObject([{ id: master.id }, stub]);
    expect(await single()).toHaveLength(5);
    const deleted = await google.ada('GET', EVENTS, { query: { singleEvents: 'true', showDeleted: 'true' } });
    expect(deleted.body.items).toHaveLength(6);
    expect(await instances()).toHaveLength(5);
    expect(await instances({ showDeleted: 'true' })).toHaveLength(6);
    expect((await google.ada('GET', instancePath('20260309'))).body.status).toBe('cancelled');
    expect(reasonOf(await google.ada('DELETE', instancePath('20260309')))).toEqual([410, 'deleted']);
  });

  test('all-day series have date ids', async () => {
    const days = await insert(google, {
      summary: 'Days',
      start: { date: '2026-03-02' },
      end: { date: '2026-03-03' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20260303'],
    });
    const { body } = await google.ada('GET', `${EVENTS}/${days.id}/instances`);
    expect(body.items.map((item: Json) => item.id)).toEqual([`${days.id}_20260302`, `${days.id}_20260304`]);
    expect(body.items[1].originalStartTime).toEqual({ date: '2026-03-04' });
  });
});

describe('changes of a series', () => {
  test('a new name reaches exceptions that had kept the old one', async () => {
    await google.ada('PATCH', instancePath('20260309'), { body: { location: 'Here' } });
    await google.ada('PATCH', instancePath('20260316'), { body: { summary: 'Own name' } });
    await google.ada('PATCH', `${EVENTS}/${master.id}`, { body: { summary: 'Renamed' } });
    const names = (await instances()).map((item) => item.summary);
    expect(names).toEqual(['Renamed', 'Renamed', 'Own name', 'Renamed', 'Renamed', 'Renamed']);
  });

  test('a new rule keeps exceptions whose slot survives and cancels the others', async () => {
    await google.ada('PATCH', instancePath('20260309'), { body: { summary: 'Odd week' } });
    await google.ada('PATCH', instancePath('20260316'), { body: { summary: 'Even week' } });
    const changed = await google.ada('PATCH', `${EVENTS}/${master.id}`, {
      body: { recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3'] },
    });
    expect(changed.body.sequence).toBe(1);
    expect((await instances()).map((item) => item.summary)).toEqual(['Weekly', 'Even week', 'Weekly']);
    expect((await google.ada('GET', instancePath('20260309'))).body.status).toBe('cancelled');
  });

  test('a new time of day takes every exception with it', async () => {
    await google.ada('PATCH', instancePath('20260309'), { body: { summary: 'Odd' } });
    await google.ada('PATCH', `${EVENTS}/${master.id}`, { body: timed('2026-03-02T11:00:00', '2026-03-02T12:00:00') });
    const all = await instances();
    expect(all.map((item) => item.summary)).toEqual(Array(6).fill('Weekly'));
    expect(all[1].start.dateTime).toBe('2026-03-09T11:00:00Z');
  });

  test('what becomes of exceptions under a new rule is for a test to say', async () => {
    const recurrence = ['RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3'];
    const shown = async () => {
      const { body } = await google.ada('GET', EVENTS, { query: { showDeleted: 'true' } });
      return body.items
        .filter((item: Json) => item.recurringEventId !== undefined)
        .map((item: Json) => `${item.id.split('_')[1].slice(0, 8)} ${item.status}`)
        .sort();
    };
    const change = async (fate: string) => {
      google = startGoogle();
      master = await insert(google, WEEKLY);
      control(google.sandbox, 'setExceptionFate', { fate });
      await google.ada('PATCH', instancePath('20260309'), { body: { summary: 'Gone' } });
      await google.ada('PATCH', instancePath('20260316'), { body: { summary: 'Stays' } });
      await google.ada('DELETE', instancePath('20260302'));
      await google.ada('PATCH', `${EVENTS}/${master.id}`, { body: { summary: 'New', recurrence } });
      return await shown();
    };
    expect(await change('cancelled')).toEqual(['20260302 cancelled', '20260309 cancelled', '20260316 confirmed']);
    expect(await change('orphaned')).toEqual(['20260302 cancelled', '20260309 confirmed', '20260316 confirmed']);
    expect(await change('dropped')).toEqual([]);
    expect((await instances()).map((item) => item.summary)).toEqual(['New', 'New', 'New']);
    expect(() => control(google.sandbox, 'setExceptionFate', { fate: 'lost' })).toThrow('fate');
  });

  test('a stricter visibility of one is that of all, a laxer one is ignored', async () => {
    const of = async () => [
      (await google.ada('GET', `${EVENTS}/${master.id}`)).body.visibility,
      ...(await instances()).map(({ visibility }) => visibility),
    ];
    await google.ada('PATCH', instancePath('20260309'), { body: { summary: 'Odd' } });
    await google.ada('PATCH', instancePath('20260316'), { body: { visibility: 'public' } });
    expect(new Set(await of())).toEqual(new Set([undefined]));
    const { body: before } = await google.ada('GET', EVENTS);
    const patched = await google.ada('PATCH', instancePath('20260316'), { body: { visibility: 'private' } });
    expect(patched.body.visibility).toBe('private');
    expect(new Set(await of())).toEqual(new Set(['private']));
    const { body } = await google.ada('GET', EVENTS, { query: { syncToken: before.nextSyncToken } });
    expect(body.items).toHaveLength(3);
    const laxer = await google.ada('PATCH', instancePath('20260323'), {
      body: { visibility: 'public', summary: 'Lax' },
    });
    expect(laxer.body).toMatchObject({ visibility: 'private', summary: 'Lax' });
    await google.ada('PATCH', `${EVENTS}/${master.id}`, { body: { visibility: 'public' } });
    expect(new Set(await of())).toEqual(new Set(['public']));
  });

  test('a longer series makes unmoved exceptions longer', async () => {
    await google.ada('PATCH', instancePath('20260309'), { body: { summary: 'Odd' } });
    await google.ada('PATCH', `${EVENTS}/${master.id}`, { body: timed('2026-03-02T09:00:00', '2026-03-02T11:00:00') });
    expect((await instances())[1]).toMatchObject({ summary: 'Odd', end: { dateTime: '2026-03-09T11:00:00Z' } });
  });

  test('deleting the series is told by one tombstone', async () => {
    await google.ada('PATCH', instancePath('20260309'), { body: { summary: 'Odd' } });
    const { body: before } = await google.ada('GET', EVENTS);
    await google.ada('DELETE', `${EVENTS}/${master.id}`);
    const { body } = await google.ada('GET', EVENTS, { query: { syncToken: before.nextSyncToken } });
    expect(body.items).toEqual([expect.objectContaining({ id: master.id, status: 'cancelled' })]);
    expect((await google.ada('GET', EVENTS)).body.items).toEqual([]);
  });
});

describe('incremental lists of single events', () => {
  test('tell every slot of a changed series and cancel those that went', async () => {
    const query = { singleEvents: 'true' };
    const { body: first } = await google.ada('GET', EVENTS, { query });
    await google.ada('PATCH', `${EVENTS}/${master.id}`, { body: { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] } });
    const { body } = await google.ada('GET', EVENTS, { query: { ...query, syncToken: first.nextSyncToken } });
    const statuses = body.items.map((item: Json) => item.status).sort();
    expect(statuses).toEqual([...Array(4).fill('cancelled'), ...Array(2).fill('confirmed')]);
    await google.ada('DELETE', `${EVENTS}/${master.id}`);
    const last = await google.ada('GET', EVENTS, { query: { ...query, syncToken: body.nextSyncToken } });
    expect(last.body.items.map((item: Json) => item.status)).toEqual(['cancelled', 'cancelled']);
  });

  test('tell when a single event becomes a series and when a series becomes single', async () => {
    const query = { singleEvents: 'true' };
    const event = await insert(google, { summary: 'One', ...timed('2026-03-03T09:00:00', '2026-03-03T10:00:00') });
    const { body: first } = await google.ada('GET', EVENTS, { query });
    const changesAfter = async (syncToken: string, recurrence: string[] | null) => {
      await google.ada('PATCH', `${EVENTS}/${event.id}`, { body: { recurrence } });
      const { body } = await google.ada('GET', EVENTS, { query: { ...query, syncToken } });
      return { token: body.nextSyncToken, told: body.items.map((item: Json) => [item.id, item.status]).sort() };
    };
    const slots = ['20260303', '20260304'].map((day) => `${event.id}_${day}T090000Z`);
    const series = await changesAfter(first.nextSyncToken, ['RRULE:FREQ=DAILY;COUNT=2']);
    expect(series.told).toEqual([[event.id, 'cancelled'], ...slots.map((id) => [id, 'confirmed'])]);
    const single = await changesAfter(series.token, null);
    expect(single.told).toEqual([[event.id, 'confirmed'], ...slots.map((id) => [id, 'cancelled'])]);
  });
});
