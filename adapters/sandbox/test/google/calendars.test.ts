import { beforeEach, describe, expect, test } from 'vitest';
import { ADA, CHARLES, control, EVENTS, type Google, insert, reasonOf, startGoogle, timed, WEEKLY } from './harness.ts';

let google: Google;
const LIST = '/users/me/calendarList';

beforeEach(() => {
  google = startGoogle();
});

async function create(summary: string): Promise<string> {
  return (await google.ada('POST', '/calendars', { body: { summary } })).body.id;
}

describe('calendars', () => {
  test('a new calendar is in its owner list, with the mailbox zone', async () => {
    const { status, body } = await google.ada('POST', '/calendars', { body: { summary: 'Plans', description: 'd' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'calendar#calendar',
      summary: 'Plans',
      timeZone: 'Europe/London',
      dataOwner: ADA,
    });
    expect((await google.ada('GET', `${LIST}/${encodeURIComponent(body.id)}`)).body).toMatchObject({
      accessRole: 'owner',
      summary: 'Plans',
    });
  });

  test.each([
    ['no title', {}, 'required'],
    ['an unknown zone', { summary: 'x', timeZone: 'Mars/Olympus' }, 'invalid'],
    ['a Windows zone', { summary: 'x', timeZone: 'GMT Standard Time' }, 'invalid'],
  ])('refuses %s and makes nothing', async (_name, body, reason) => {
    expect(reasonOf(await google.ada('POST', '/calendars', { body }))).toEqual([400, reason]);
    expect((await google.ada('GET', LIST)).body.items).toHaveLength(1);
  });

  test('patch changes what is sent, null clears, put replaces', async () => {
    const id = encodeURIComponent(await create('Plans'));
    await google.ada('PATCH', `/calendars/${id}`, { body: { description: 'long', location: 'here' } });
    const patched = await google.ada('PATCH', `/calendars/${id}`, { body: { description: null } });
    expect(patched.body).toMatchObject({ summary: 'Plans', location: 'here' });
    expect(patched.body.description).toBeUndefined();
    const put = await google.ada('PUT', `/calendars/${id}`, { body: { summary: 'Other' } });
    expect(put.body).toMatchObject({ summary: 'Other', timeZone: 'Europe/London' });
    expect(put.body.location).toBeUndefined();
  });

  test('deleting leaves a deleted entry for incremental lists; the primary one only clears', async () => {
    const id = await create('Doomed');
    const { body: before } = await google.ada('GET', LIST);
    expect((await google.ada('DELETE', `/calendars/${encodeURIComponent(id)}`)).status).toBe(204);
    const { body } = await google.ada('GET', LIST, { query: { syncToken: before.nextSyncToken } });
    expect(body.items).toMatchObject([{ id, deleted: true }]);
    expect(reasonOf(await google.ada('DELETE', '/calendars/primary'))).toEqual([403, 'cannotDeletePrimaryCalendar']);
    await insert(google, WEEKLY);
    expect((await google.ada('POST', '/calendars/primary/clear')).status).toBe(204);
    expect((await google.ada('GET', EVENTS)).body.items).toEqual([]);
  });

  test('an unknown calendar and one of somebody else are 404 alike', async () => {
    const id = await create('Mine');
    expect(reasonOf(await google.charles('GET', `/calendars/${encodeURIComponent(id)}`))).toEqual([404, 'notFound']);
    expect(reasonOf(await google.ada('GET', '/calendars/none'))).toEqual([404, 'notFound']);
  });

  test('etags: 304 for the known one, 412 for a stale one', async () => {
    const { body } = await google.ada('GET', '/calendars/primary');
    const known = await google.ada('GET', '/calendars/primary', { headers: { 'if-none-match': body.etag } });
    expect(known.status).toBe(304);
    const headers = { 'if-match': '"0"' };
    expect((await google.ada('PATCH', '/calendars/primary', { headers, body: { summary: 'x' } })).status).toBe(412);
  });
});

describe('the calendar list', () => {
  test('a rename by the owner is not told incrementally, an own colour is', async () => {
    const { body: first } = await google.ada('GET', LIST);
    await google.ada('PATCH', '/calendars/primary', { body: { summary: 'Renamed', timeZone: 'Asia/Tokyo' } });
    const silent = await google.ada('GET', LIST, { query: { syncToken: first.nextSyncToken } });
    expect(silent.body.items).toEqual([]);
    await google.ada('PATCH', `${LIST}/primary`, {
      query: { colorRgbFormat: 'true' },
      body: { backgroundColor: '#112233', foregroundColor: '#ffffff' },
    });
    const { body } = await google.ada('GET', LIST, { query: { syncToken: silent.body.nextSyncToken } });
    expect(body.items).toMatchObject([{ id: ADA, summary: 'Renamed', backgroundColor: '#112233' }]);
  });

  test('pages, and the sync token comes with the last', async () => {
    for (let index = 0; index < 4; index += 1) await create(`C${index}`);
    const ids: string[] = [];
    let query: Record<string, string> = { maxResults: '2' };
    for (let page = 0; page < 3; page += 1) {
      const { body } = await google.ada('GET', LIST, { query });
      ids.push(...body.items.map((item: { id: string }) => item.id));
      expect('nextSyncToken' in body).toBe(page === 2);
      query = { maxResults: '2', pageToken: body.nextPageToken };
    }
    expect(new Set(ids).size).toBe(5);
  });

  test('hidden and low roles are left out unless asked for', async () => {
    const id = await create('Quiet');
    await google.ada('PATCH', `${LIST}/${encodeURIComponent(id)}`, { body: { hidden: true } });
    const count = async (query: Record<string, string>) => (await google.ada('GET', LIST, { query })).body.items.length;
    expect(await count({})).toBe(1);
    expect(await count({ showHidden: 'true' })).toBe(2);
    control(google.sandbox, 'addHolidayCalendar', { email: ADA });
    expect(await count({})).toBe(2);
    expect(await count({ minAccessRole: 'writer' })).toBe(1);
  });

  test.each([
    [{ syncToken: 'nonsense' }, 400, 'invalid'],
    [{ syncToken: 'nonsense', minAccessRole: 'owner' }, 400, 'invalid'],
    [{ pageToken: 'nonsense' }, 400, 'invalid'],
    [{ maxResults: '0' }, 400, 'invalid'],
    [{ showHidden: 'yes' }, 400, 'invalid'],
  ])('refuses %j', async (query, status, reason) => {
    const answer = await google.ada('GET', LIST, { query: query as Record<string, string> });
    expect(reasonOf(answer)).toEqual([status, reason]);
  });

  test('only one of two RGB parts is refused; a palette id is taken', async () => {
    const query = { colorRgbFormat: 'true' };
    const half = await google.ada('PATCH', `${LIST}/primary`, { query, body: { backgroundColor: '#112233' } });
    expect(half.status).toBe(400);
    const { body } = await google.ada('PATCH', `${LIST}/primary`, { body: { colorId: '1' } });
    expect(body).toMatchObject({ colorId: '1', backgroundColor: '#ac725e' });
  });

  test('sharing puts a calendar in the list with the role; taking it away marks the entry deleted', async () => {
    const id = await create('Team');
    const rule = await google.ada('POST', `/calendars/${encodeURIComponent(id)}/acl`, {
      body: { role: 'reader', scope: { type: 'user', value: CHARLES } },
    });
    expect(rule.body).toMatchObject({ id: `user:${CHARLES}`, role: 'reader' });
    const { body: list } = await google.charles('GET', LIST);
    expect(list.items).toMatchObject([{ primary: true }, { id, accessRole: 'reader', dataOwner: ADA }]);
    const refused = await google.charles('POST', `/calendars/${encodeURIComponent(id)}/events`, { body: WEEKLY });
    expect(reasonOf(refused)).toEqual([403, 'requiredAccessLevel']);
    await google.ada('DELETE', `/calendars/${encodeURIComponent(id)}/acl/user:${CHARLES}`);
    const { body } = await google.charles('GET', LIST, { query: { syncToken: list.nextSyncToken } });
    expect(body.items).toMatchObject([{ id, deleted: true }]);
  });

  test('unsubscribing keeps the calendar, subscribing again brings it back', async () => {
    const id = await create('Team');
    const path = `${LIST}/${encodeURIComponent(id)}`;
    expect((await google.ada('DELETE', path)).status).toBe(204);
    expect((await google.ada('GET', path)).status).toBe(404);
    expect((await google.ada('GET', `/calendars/${encodeURIComponent(id)}`)).status).toBe(200);
    expect((await google.ada('POST', LIST, { body: { id } })).body).toMatchObject({ id, accessRole: 'owner' });
  });
});

describe('free/busy, settings, colours', () => {
  test('merges busy slots, leaves free and declined ones out, and answers per calendar', async () => {
    await insert(google, WEEKLY);
    await insert(google, { ...timed('2026-03-02T09:30:00', '2026-03-02T11:00:00') });
    await insert(google, { ...timed('2026-03-02T14:00:00', '2026-03-02T15:00:00'), transparency: 'transparent' });
    const { body } = await google.ada('POST', '/freeBusy', {
      body: {
        timeMin: '2026-03-02T00:00:00Z',
        timeMax: '2026-03-10T00:00:00Z',
        items: [{ id: 'primary' }, { id: 'none' }],
      },
    });
    expect(body.calendars).toEqual({
      primary: {
        busy: [
          { start: '2026-03-02T09:00:00Z', end: '2026-03-02T11:00:00Z' },
          { start: '2026-03-09T09:00:00Z', end: '2026-03-09T10:00:00Z' },
        ],
      },
      none: { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] },
    });
  });

  test('colleagues share free/busy; a group is expanded; a long window is refused', async () => {
    for (const email of ['ann@office.example', 'bob@office.example']) {
      google.sandbox.google.addMailbox({ email, name: 'Colleague', timeZone: 'UTC' });
    }
    control(google.sandbox, 'setGroup', { email: 'all@office.example', members: ['ann@office.example', ADA] });
    const window = { timeMin: '2026-03-02T00:00:00Z', timeMax: '2026-03-10T00:00:00Z' };
    const ask = async (fields: object) =>
      (await google.call('bob@office.example', 'POST', '/freeBusy', { body: { ...window, ...fields } })).body;
    const items = [{ id: 'all@office.example' }];
    const notFound = { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] };
    expect(await ask({ items })).toMatchObject({
      groups: { 'all@office.example': { calendars: ['ann@office.example', ADA] } },
      calendars: { 'ann@office.example': { busy: [] }, [ADA]: notFound },
    });
    expect((await ask({ items, groupExpansionMax: 1 })).groups['all@office.example'].errors[0].reason).toBe(
      'groupTooBig',
    );
    control(google.sandbox, 'setFreeBusyHidden', { email: 'ann@office.example', hidden: true });
    expect((await ask({ items: [{ id: 'ann@office.example' }] })).calendars['ann@office.example']).toEqual(notFound);
    expect((await ask({ items, timeMax: '2026-07-10T00:00:00Z' })).error.errors[0].reason).toBe('timeRangeTooLong');
  });

  test('the zone setting is the mailbox zone; an unknown setting is 404', async () => {
    expect((await google.charles('GET', '/users/me/settings/timezone')).body.value).toBe('America/New_York');
    expect((await google.charles('GET', '/users/me/settings/nothing')).status).toBe(404);
  });

  test('there are 24 calendar and 11 event colours', async () => {
    const { body } = await google.ada('GET', '/colors');
    expect([Object.keys(body.calendar).length, Object.keys(body.event).length]).toEqual([24, 11]);
  });
});
