import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { ADA, control, EVENTS, type Google, insert, type Json, reasonOf, startGoogle, timed } from './harness.ts';

let google: Google;

beforeEach(() => {
  google = startGoogle();
});

const day = (n: number) => ({
  summary: `Day ${n}`,
  start: { date: `2026-03-${String(n).padStart(2, '0')}` },
  end: { date: `2026-03-${String(n + 1).padStart(2, '0')}` },
});

const list = async (query: Record<string, string> = {}) => (await google.ada('GET', EVENTS, { query })).body;

describe('lists', () => {
  test('say whose they are', async () => {
    expect(await list()).toMatchObject({
      kind: 'calendar#events',
      summary: ADA,
      timeZone: 'Europe/London',
      accessRole: 'owner',
      defaultReminders: [{ method: 'popup', minutes: 10 }],
    });
  });

  test('bounds are exclusive on both sides', async () => {
    await insert(google, { summary: 'A', ...timed('2026-03-03T09:00:00', '2026-03-03T10:00:00') });
    const count = async (timeMin: string, timeMax: string) => (await list({ timeMin, timeMax })).items.length;
    expect(await count('2026-03-03T10:00:00Z', '2026-03-03T12:00:00Z')).toBe(0);
    expect(await count('2026-03-03T08:00:00Z', '2026-03-03T09:00:00Z')).toBe(0);
    expect(await count('2026-03-03T09:59:59Z', '2026-03-03T12:00:00Z')).toBe(1);
  });

  test('filters: text, iCalUID, properties, event type, updatedMin', async () => {
    const event = await insert(google, {
      ...day(3),
      location: 'Turin',
      extendedProperties: { private: { a: '1', b: '2' } },
    });
    google.advance(60_000);
    const updatedMin = new Date(google.sandbox.clock.now()).toISOString();
    await insert(google, { ...day(4), extendedProperties: { shared: { a: '1' } } });
    const names = async (query: Record<string, string>) => (await list(query)).items.map((item: Json) => item.summary);
    expect(await names({ q: 'TURIN' })).toEqual(['Day 3']);
    expect(await names({ iCalUID: event.iCalUID })).toEqual(['Day 3']);
    expect(await names({ privateExtendedProperty: 'a=1' })).toEqual(['Day 3']);
    expect(await names({ sharedExtendedProperty: 'a=1' })).toEqual(['Day 4']);
    expect(await names({ eventTypes: 'focusTime' })).toEqual([]);
    expect(await names({ updatedMin })).toEqual(['Day 4']);
    expect('nextSyncToken' in (await list({ q: 'turin' }))).toBe(false);
  });

  test('maxAttendees cuts the list but keeps the own entry', async () => {
    await insert(google, { ...day(3), attendees: [{ email: 'a@x.org' }, { email: 'b@x.org' }, { email: ADA }] });
    const [item] = (await list({ maxAttendees: '1' })).items;
    expect(item).toMatchObject({ attendeesOmitted: true, attendees: [{ email: ADA, self: true }] });
  });

  test.each([
    [{ orderBy: 'startTime' }, 400, 'invalid'],
    [{ orderBy: 'name' }, 400, 'invalid'],
    [{ timeMin: '2026-03-01T00:00:00' }, 400, 'badRequest'],
    [{ timeMin: '2026-03-02T00:00:00Z', timeMax: '2026-03-01T00:00:00Z' }, 400, 'timeRangeEmpty'],
    [{ maxResults: '-1' }, 400, 'invalid'],
    [{ timeZone: 'Nowhere' }, 400, 'invalid'],
    [{ eventTypes: 'party' }, 400, 'invalid'],
    [{ privateExtendedProperty: 'nopair' }, 400, 'invalid'],
    [{ pageToken: 'junk' }, 400, 'invalid'],
    [{ syncToken: 'junk' }, 400, 'invalid'],
    [{ updatedMin: '2025-01-01T00:00:00Z' }, 410, 'updatedMinTooLongAgo'],
  ])('refuse %j', async (query, status, reason) => {
    const answer = await google.ada('GET', EVENTS, { query: query as unknown as Record<string, string> });
    expect(reasonOf(answer)).toEqual([status, reason]);
  });
});

describe('sync tokens', () => {
  test.each([
    'iCalUID',
    'orderBy',
    'privateExtendedProperty',
    'sharedExtendedProperty',
    'q',
    'timeMin',
    'timeMax',
    'updatedMin',
  ])('refuse %s beside them', async (name) => {
    const { nextSyncToken: syncToken } = await list();
    const value =
      name.startsWith('time') || name === 'updatedMin'
        ? '2026-03-01T00:00:00Z'
        : name === 'orderBy'
          ? 'updated'
          : 'a=b';
    const answer = await google.ada('GET', EVENTS, { query: { syncToken, [name]: value } });
    expect(reasonOf(answer)).toEqual([400, 'invalid']);
  });

  test('refuse showDeleted=false and a change of singleEvents', async () => {
    const { nextSyncToken: syncToken } = await list();
    for (const query of [{ showDeleted: 'false' }, { singleEvents: 'true' }]) {
      const answer = await google.ada('GET', EVENTS, {
        query: { syncToken, ...query } as unknown as Record<string, string>,
      });
      expect(reasonOf(answer)).toEqual([400, 'invalid']);
    }
  });

  test('of a bounded list keep its bounds and tell what left them', async () => {
    const event = await insert(google, day(3));
    const { nextSyncToken: syncToken } = await list({
      timeMin: '2026-03-01T00:00:00Z',
      timeMax: '2026-03-10T00:00:00Z',
    });
    await insert(google, day(20));
    await google.ada('PATCH', `${EVENTS}/${event.id}`, {
      body: { start: { date: '2026-03-20' }, end: { date: '2026-03-21' } },
    });
    expect((await list({ syncToken })).items).toMatchObject([{ id: event.id, status: 'cancelled' }]);
  });

  test('of a bounded list tell what left them after a later page had shown it', async () => {
    const bounds = { timeMin: '2026-03-01T00:00:00Z', timeMax: '2026-03-10T00:00:00Z' };
    await insert(google, day(3));
    await insert(google, day(4));
    const { nextPageToken: pageToken } = await list({ ...bounds, maxResults: '1' });
    const event = await insert(google, day(5));
    const { items, nextSyncToken: syncToken } = await list({ ...bounds, pageToken });
    expect(items.map(({ id }: Json) => id)).toContain(event.id);
    const body = { start: { date: '2026-03-20' }, end: { date: '2026-03-21' } };
    await google.ada('PATCH', `${EVENTS}/${event.id}`, { body });
    expect((await list({ syncToken })).items).toMatchObject([{ id: event.id, status: 'cancelled' }]);
  });

  test.each([
    'the first list',
    'a further list',
  ])('of a bounded list keep an exception, moved before %s, whose series leaves the bounds', async (order) => {
    const series = await insert(google, {
      ...timed('2026-03-02T09:00:00', '2026-03-02T10:00:00'),
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'],
    });
    const [instance] = (await google.ada('GET', `${EVENTS}/${series.id}/instances`)).body.items;
    const move = async () => {
      const body = timed('2026-03-05T18:00:00', '2026-03-05T19:00:00');
      await google.ada('PATCH', `${EVENTS}/${instance.id}`, { body });
    };
    const bounds = { timeMin: '2026-03-05T00:00:00Z', timeMax: '2026-03-25T00:00:00Z' };
    if (order === 'the first list') await move();
    const { nextSyncToken: syncToken } = await list(bounds);
    if (order === 'a further list') await move();
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=1'];
    await google.ada('PATCH', `${EVENTS}/${series.id}`, { body: { recurrence } });
    expect((await list({ syncToken })).items).toMatchObject([
      { id: series.id, status: 'cancelled' },
      { id: instance.id, status: 'confirmed' },
    ]);
  });

  test('of a bounded list of single events tell of an exception that was moved into the bounds and went with its series', async () => {
    const series = await insert(google, {
      ...timed('2026-03-02T09:00:00', '2026-03-02T10:00:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=1'],
    });
    const [instance] = (await google.ada('GET', `${EVENTS}/${series.id}/instances`)).body.items;
    await google.ada('PATCH', `${EVENTS}/${instance.id}`, {
      body: timed('2026-03-05T18:00:00', '2026-03-05T19:00:00'),
    });
    const bounds = { timeMin: '2026-03-05T00:00:00Z', timeMax: '2026-03-25T00:00:00Z' };
    const { items, nextSyncToken: syncToken } = await list({ singleEvents: 'true', ...bounds });
    expect(items).toMatchObject([{ id: instance.id, status: 'confirmed' }]);
    await google.ada('DELETE', `${EVENTS}/${series.id}`);
    const changes = (await list({ singleEvents: 'true', syncToken })).items;
    expect(changes).toMatchObject([{ id: instance.id, status: 'cancelled' }]);
  });

  test('expire by control, and tombstones are gone then', async () => {
    const event = await insert(google, day(3));
    const { nextSyncToken: syncToken } = await list();
    await google.ada('DELETE', `${EVENTS}/${event.id}`);
    expect((await list({ showDeleted: 'true' })).items).toHaveLength(1);
    control(google.sandbox, 'expireSyncTokens');
    const answer = await google.ada('GET', EVENTS, { query: { syncToken } });
    expect(reasonOf(answer)).toEqual([410, 'fullSyncRequired']);
    expect((await list({ showDeleted: 'true' })).items).toEqual([]);
  });

  test('survive a restart with the same state', async () => {
    await insert(google, day(3));
    const { nextSyncToken: syncToken } = await list();
    const saved = JSON.parse(JSON.stringify(google.sandbox.google.snapshot()));
    google.sandbox.reset();
    google.sandbox.google.restore(saved);
    expect((await list({ syncToken })).items).toEqual([]);
  });

  test('a client that applies every page holds what a fresh full list gives, whatever changed meanwhile', async () => {
    const step = fc.record({ kind: fc.constantFrom('insert', 'patch', 'delete', 'pull'), pick: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.integer({ min: 1, max: 4 }), async (steps, size) => {
        google = startGoogle();
        const held = new Map<string, string>();
        const ids: string[] = [];
        let syncToken: string | undefined;
        let pageToken: string | undefined;
        const pullPage = async (): Promise<boolean> => {
          const query = {
            maxResults: String(size),
            ...(syncToken === undefined ? { showDeleted: 'true' } : { syncToken }),
            ...(pageToken === undefined ? {} : { pageToken }),
          };
          const body = await list(query);
          for (const item of body.items) {
            if (item.status === 'cancelled') held.delete(item.id);
            else held.set(item.id, item.etag);
          }
          pageToken = body.nextPageToken;
          if (body.nextSyncToken !== undefined) syncToken = body.nextSyncToken;
          return pageToken !== undefined;
        };
        for (const { kind, pick } of steps) {
          const id = ids[pick % Math.max(ids.length, 1)];
          if (kind === 'insert') ids.push((await insert(google, day((pick % 27) + 1))).id);
          else if (kind === 'pull') await pullPage();
          else if (id !== undefined && kind === 'delete') await google.ada('DELETE', `${EVENTS}/${id}`);
          else if (id !== undefined) await google.ada('PATCH', `${EVENTS}/${id}`, { body: { summary: `n${pick}` } });
        }
        while (await pullPage());
        while (await pullPage());
        const fresh = (await list({ maxResults: '250' })).items.map((item: Json) => [item.id, item.etag]);
        expect([...held].sort()).toEqual(fresh.sort());
      }),
      { numRuns: 30 },
    );
  });
});
