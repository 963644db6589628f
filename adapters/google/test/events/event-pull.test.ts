import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ADA,
  exceptionsIn,
  failureOf,
  GRACE,
  type Harness,
  newRequestId,
  primaryOf,
  pullAll,
  single,
  slotOf,
  startHarness,
} from '../harness.ts';

const calendar = primaryOf(ADA);
const NINE = Date.UTC(2026, 2, 2, 9);
const DAY = 86_400_000;
const series = {
  summary: 'Daily',
  start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Europe/London' },
  end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'Europe/London' },
  recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
};

let harness: Harness;

beforeEach(async () => {
  harness = await startHarness({ limits: { pageSize: 2 } });
});

afterEach(() => harness.close());

const pull = (token: string | null) => pullAll(harness.provider.events.pull(harness.sessionOf(ADA), calendar, token));
const insert = async (body: unknown) =>
  String((await harness.api(ADA, 'POST', '/calendars/primary/events', body))['id']);
const instanceId = async (id: string, index: number) => {
  const { items } = await harness.api(ADA, 'GET', `/calendars/primary/events/${id}/instances`);
  return (items as { id: string }[])[index]?.id ?? '';
};

describe('pull', () => {
  test('pages through masters and exceptions, unexpanded, with the token on the last page only', async () => {
    const id = await insert(series);
    await harness.api(ADA, 'PATCH', `/calendars/primary/events/${await instanceId(id, 1)}`, { summary: 'Moved' });
    await harness.api(ADA, 'DELETE', `/calendars/primary/events/${await instanceId(id, 2)}`);
    const { pages, changes, token } = await pull(null);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.slice(0, -1).every((page) => page.nextToken === undefined)).toBe(true);
    expect(pages.every((page) => page.full && page.calendarTimeZone === 'Europe/London')).toBe(true);
    expect(token).not.toBe('');
    expect(changes).toHaveLength(3);
    expect(changes).toEqual(
      expect.arrayContaining([
        { kind: 'event', event: expect.objectContaining({ providerEventId: id, seriesId: null }) },
        {
          kind: 'event',
          event: expect.objectContaining({
            seriesId: id,
            recurrenceId: { kind: 'instant', startMs: NINE + DAY },
            content: expect.objectContaining({ title: 'Moved' }),
          }),
        },
        {
          kind: 'event',
          event: expect.objectContaining({
            isCancelled: true,
            content: null,
            recurrenceId: { kind: 'instant', startMs: NINE + 2 * DAY },
          }),
        },
      ]),
    );
  });

  test('an incremental pull tells what changed, tombstones included', async () => {
    const keep = await insert({ ...series, recurrence: undefined });
    const drop = await insert({ ...series, recurrence: undefined });
    const first = await pull(null);
    expect(first.changes).toHaveLength(2);
    expect((await pull(first.token)).changes).toEqual([]);
    await harness.api(ADA, 'PATCH', `/calendars/primary/events/${keep}`, { summary: 'New' });
    await harness.api(ADA, 'DELETE', `/calendars/primary/events/${drop}`);
    const second = await pull(first.token);
    expect(second.pages.every((page) => !page.full)).toBe(true);
    expect(second.changes).toEqual(
      expect.arrayContaining([
        {
          kind: 'event',
          event: expect.objectContaining({ content: expect.objectContaining({ title: 'New' }) }),
        },
        { kind: 'deleted', providerEventId: drop },
      ]),
    );
    expect(second.changes).toHaveLength(2);
  });

  test('an expired token, and one that Google cannot read, ask for a full pull', async () => {
    const { token } = await pull(null);
    expect(await failureOf(pull('rubbish'))).toMatchObject({ reason: 'sync-token-expired' });
    harness.sandbox.google.controls['expireSyncTokens']?.({});
    expect(await failureOf(pull(token))).toMatchObject({ reason: 'sync-token-expired' });
    expect((await pull(null)).token).not.toBe('');
  });

  test('a calendar that is gone is not found', async () => {
    const gone = { ...calendar, id: 'c_nobody@group.calendar.google.com' };
    const call = pullAll(harness.provider.events.pull(harness.sessionOf(ADA), gone, null));
    expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
  });

  test('an invited person sees a meeting that is not theirs', async () => {
    await harness.api(GRACE, 'POST', '/calendars/primary/events', { ...series, attendees: [{ email: ADA }] });
    const { changes } = await pull(null);
    expect(single(changes)).toMatchObject({
      isOrganizer: false,
      content: {
        myResponseStatus: 'needsAction',
        organizer: { email: GRACE, isSelf: false },
        attendees: [{ email: ADA, responseStatus: 'needsAction' }],
      },
    });
  });
});

describe('get', () => {
  const get = (id: string) => harness.provider.events.get(harness.sessionOf(ADA), calendar, id);

  test('a series comes whole', async () => {
    const id = await insert(series);
    await harness.api(ADA, 'PATCH', `/calendars/primary/events/${await instanceId(id, 1)}`, { summary: 'Moved' });
    await harness.api(ADA, 'DELETE', `/calendars/primary/events/${await instanceId(id, 2)}`);
    const answer = await get(id);
    expect(single(answer).content?.recurrence).toEqual(series.recurrence);
    expect(exceptionsIn(answer)).toHaveLength(2);
  });

  test('an instance comes alone', async () => {
    const id = await insert(series);
    const moved = await instanceId(id, 1);
    await harness.api(ADA, 'PATCH', `/calendars/primary/events/${moved}`, { summary: 'Moved' });
    expect(single(await get(moved))).toMatchObject({ seriesId: id, content: { title: 'Moved' } });
  });

  test('what is not there is deleted, unless the calendar is gone', async () => {
    const id = await insert(series);
    await harness.api(ADA, 'DELETE', `/calendars/primary/events/${id}`);
    expect(await get(id)).toEqual([{ kind: 'deleted', providerEventId: id, exceptionsMayStay: true }]);
    expect(await get('nobody')).toEqual([{ kind: 'deleted', providerEventId: 'nobody', exceptionsMayStay: true }]);
    const gone = { ...calendar, id: 'c_nobody' };
    const call = harness.provider.events.get(harness.sessionOf(ADA), gone, id);
    expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
  });

  test('a pull, a get and the answer of a write read the same', async () => {
    const session = harness.sessionOf(ADA);
    const input = {
      title: 'Same',
      start: { dateTime: '2026-03-02T09:00:00+00:00', timeZone: 'Europe/London' },
      end: { dateTime: '2026-03-02T10:00:00+00:00', timeZone: 'Europe/London' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      attendees: [{ email: GRACE }],
    };
    const { events } = harness.provider;
    const made = single(await events.create(session, calendar, input, { requestId: newRequestId() }));
    await events.update(session, calendar, slotOf(made, NINE + DAY), { title: 'One' }, {});
    const written = await events.delete(session, calendar, slotOf(made, NINE + 2 * DAY), {});
    const pulled = (await pull(null)).changes.flatMap((change) => (change.kind === 'event' ? [change.event] : []));
    const got = await get(made.providerEventId);
    const byId = (events: readonly { readonly providerEventId: string }[]) =>
      [...events].sort((a, b) => (a.providerEventId < b.providerEventId ? -1 : 1));
    expect(byId([single(got), ...exceptionsIn(got)])).toEqual(byId(pulled));
    expect(byId([single(written), ...exceptionsIn(written)])).toEqual(byId(pulled));
  });
});
