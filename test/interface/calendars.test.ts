import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { calendar, deletedCalendar } from './shapes.ts';
import {
  body,
  type Connected,
  calendarsPath,
  eventsPath,
  expectProblem,
  query,
  readAll,
  withOneBitChanged,
} from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

const MINUTE_MS = 60_000;

describe.each(PROVIDERS)('calendars of $providerType', ({ provider }) => {
  let account: Connected;
  let root: string;
  beforeAll(async () => {
    account = await world.connect(provider);
    root = calendarsPath(account.accountId);
  });
  let names = 0;
  // Exchange wants each name once in a mailbox.
  const create = async (fields: Readonly<Record<string, unknown>> = {}) => {
    names += 1;
    return body(await world.call('POST', root, { body: { name: `Work ${names}`, ...fields } }), 201);
  };
  const path = (id: string) => calendarsPath(account.accountId, id);

  it('PUT and DELETE take no condition, and say so instead of passing over it', async () => {
    const { id, name } = await create();
    const headers = { 'if-match': '"1"' };
    for (const method of ['PUT', 'DELETE']) {
      const answer = await world.call(method, path(id), {
        headers,
        ...(method === 'PUT' ? { body: { name: 'Other' } } : {}),
      });
      expectProblem(answer, 400, 'InvalidRequest', 'If-Match');
    }
    expect(body(await world.call('GET', path(id)))).toMatchObject({ name });
    expect((await world.call('DELETE', path(id), { headers: { 'if-match': '*' } })).status).toBe(200);
  });

  describe('GET one and the list', () => {
    it('has every field of the resource', async () => {
      const answer = await world.call('GET', root);
      const page = body(answer);
      expect(Object.keys(page).sort()).toEqual(['data', 'nextSyncToken']);
      for (const item of page.data) expect(calendar(item)).toBeUndefined();
      const primary = page.data.find((item: Json) => item.isPrimary);
      expect(primary).toMatchObject({ readOnly: false, isShared: false, timeZone: 'Europe/Berlin' });
      expect(primary.inviteEmail.toLowerCase()).toBe(account.email);
      const one = await world.call('GET', path(primary.id));
      expect(body(one)).toEqual(primary);
      const syncedAt = Date.parse(answer.headers.get('x-kalends-synced-at') ?? '');
      expect(Math.abs(syncedAt - clock.now())).toBeLessThan(MINUTE_MS);
    });

    it('404 for an unknown calendar', async () => {
      expectProblem(await world.call('GET', path('unknown')), 404, 'NotFound');
      expectProblem(await world.call('GET', path('a/b ü?#%')), 404, 'NotFound');
    });

    it.each([
      ['limit', { limit: 0 }],
      ['limit', { limit: 251 }],
      ['pageSize', { pageSize: 'many' }],
      ['colour', { colour: 'red' }],
    ])('refuses a wrong %s: %j', async (name, parameters) => {
      expectProblem(await world.call('GET', `${root}${query(parameters)}`), 400, 'InvalidRequest', name);
    });
  });

  describe('POST', () => {
    it('creates with 201; what is not given has a default', async () => {
      const created = await create({ name: 'Größe ✓' });
      expect(calendar(created)).toBeUndefined();
      expect(created).toMatchObject({ name: 'Größe ✓', readOnly: false, isShared: false, timeZone: 'Europe/Berlin' });
      expect(created.isPrimary === true).toBe(false);
      expect(body(await world.call('GET', path(created.id)))).toEqual(created);
    });

    it('keeps colour and zone as they were sent', async () => {
      const wish = { hexColor: '#3f51b5', timeZone: 'America/New_York' };
      const created = await create(wish);
      expect({ ...created, hexColor: created.hexColor.toLowerCase() }).toMatchObject(wish);
      const read = body(await world.call('GET', path(created.id)));
      expect({ ...read, hexColor: read.hexColor.toLowerCase() }).toMatchObject(wish);
    });

    it('takes Windows names of zones and answers IANA names', async () => {
      expect(await create({ timeZone: 'Eastern Standard Time' })).toMatchObject({ timeZone: 'America/New_York' });
    });

    it('ignores read-only fields, so that a client can send back what it read', async () => {
      const { data } = body(await world.call('GET', root));
      const primary = data.find((item: Json) => item.isPrimary);
      const created = await create({ ...primary, name: 'Copy' });
      expect(created.id).not.toBe(primary.id);
      expect(created).toMatchObject({ name: 'Copy', readOnly: false });
      expect(created.isPrimary === true).toBe(false);
    });

    it('takes a name of 254 characters', async () => {
      expect((await create({ name: 'n'.repeat(254) })).name).toBe('n'.repeat(254));
    });

    it.each([
      ['name', { name: undefined }],
      ['name', { name: '' }],
      ['name', { name: 'n'.repeat(255) }],
      ['name', { name: 7 }],
      ['name', { name: null }],
      ['hexColor', { hexColor: 'red' }],
      ['hexColor', { hexColor: '3f51b5' }],
      ['hexColor', { hexColor: 255 }],
      ['timeZone', { timeZone: 'Mars/Olympus' }],
      ['timeZone', { timeZone: '+02:00' }],
      ['timeZone', { timeZone: 7 }],
      ['owner', { owner: 'me' }],
    ])('refuses a wrong %s: %j', async (field, wrong) => {
      const before = body(await world.call('GET', root)).data;
      const answer = await world.call('POST', root, { body: { name: 'Work', ...wrong } });
      expectProblem(answer, 400, 'InvalidRequest', field);
      expect(body(await world.call('GET', root)).data).toEqual(before);
    });

    it.each([['[]'], ['"text"'], ['7'], ['null'], ['{'], ['']])('refuses the body %s', async (text) => {
      expectProblem(await world.call('POST', root, { body: text }), 400, 'InvalidRequest');
    });
  });

  describe('PUT', () => {
    it('changes only what is sent; null clears', async () => {
      const created = await create({ hexColor: '#3f51b5', timeZone: 'America/New_York' });
      const renamed = body(await world.call('PUT', path(created.id), { body: { name: 'Renamed' } }));
      expect(renamed).toEqual({ ...created, name: 'Renamed' });
      const cleared = body(await world.call('PUT', path(created.id), { body: { timeZone: null } }));
      expect(calendar(cleared)).toBeUndefined();
      expect(cleared.timeZone).toBe('Europe/Berlin');
      const all = { hexColor: '#a1b2c3', timeZone: 'Asia/Tokyo', name: 'All' };
      const changed = body(await world.call('PUT', path(created.id), { body: all }));
      expect({ ...changed, hexColor: changed.hexColor.toLowerCase() }).toEqual({ ...created, ...all });
      expect(body(await world.call('GET', path(created.id)))).toEqual(changed);
    });

    it('renames the primary calendar at Google alone; Microsoft refuses it by name', async () => {
      const { data } = body(await world.call('GET', root));
      const primary = data.find((item: Json) => item.isPrimary);
      const answer = await world.call('PUT', path(primary.id), { body: { name: 'Renamed' } });
      if (provider === 'google') expect(body(answer).name).toBe('Renamed');
      else {
        expect(answer.status).toBe(422);
        expect(answer.body).toMatchObject({ code: 'UnsupportedByProvider', details: [{ path: 'name' }] });
      }
    });

    it('a zone of null is the account’s own, on creation too and for the primary calendar', async () => {
      expect((await create()).timeZone).toBe('Europe/Berlin');
      expect((await create({ timeZone: null })).timeZone).toBe('Europe/Berlin');
      const primary = path(account.calendarId);
      await world.call('PUT', primary, { body: { timeZone: 'Asia/Tokyo' } });
      const other = await create({ timeZone: 'America/New_York' });
      for (const one of [path(other.id), primary]) {
        const cleared = body(await world.call('PUT', one, { body: { timeZone: null } }));
        expect(cleared.timeZone).toBe('Europe/Berlin');
        expect(body(await world.call('GET', one)).timeZone).toBe('Europe/Berlin');
      }
    });

    it('takes back what it answered', async () => {
      const created = await create();
      expect(body(await world.call('PUT', path(created.id), { body: created }))).toEqual(created);
    });

    it('colours the primary calendar too', async () => {
      const changed = body(await world.call('PUT', path(account.calendarId), { body: { hexColor: '#0b8043' } }));
      expect(changed).toMatchObject({ id: account.calendarId, hexColor: '#0b8043', isPrimary: true });
    });

    it.each([
      ['name', { name: '' }],
      ['name', { name: null }],
      ['name', { name: 'n'.repeat(255) }],
      ['hexColor', { hexColor: '#12' }],
      ['timeZone', { timeZone: 'Nowhere' }],
      ['colour', { colour: '#123456' }],
    ])('refuses a wrong %s: %j', async (field, wrong) => {
      const created = await create();
      const answer = await world.call('PUT', path(created.id), { body: { name: 'Other', ...wrong } });
      expectProblem(answer, 400, 'InvalidRequest', field);
      expect(body(await world.call('GET', path(created.id)))).toEqual(created);
    });
  });

  describe('DELETE', () => {
    it('answers {success: true}; afterwards calendar and events are 404', async () => {
      const { id } = await create();
      expect(body(await world.call('DELETE', path(id)))).toEqual({ success: true });
      expectProblem(await world.call('GET', path(id)), 404, 'NotFound');
      expectProblem(await world.call('DELETE', path(id)), 404, 'NotFound');
      expectProblem(await world.call('GET', eventsPath({ ...account, calendarId: id })), 404, 'NotFound');
    });

    it('ignores a body', async () => {
      const { id } = await create();
      expect(body(await world.call('DELETE', path(id), { body: '{"what": ' }))).toEqual({ success: true });
    });

    it('403 for the primary calendar', async () => {
      expectProblem(await world.call('DELETE', path(account.calendarId)), 403, 'Forbidden');
      expect(body(await world.call('GET', path(account.calendarId))).isPrimary).toBe(true);
    });
  });

  describe('pages and sync tokens', () => {
    it('pages show each calendar once, and the token is at the end', async () => {
      for (let index = 0; index < 3; index += 1) await create();
      const whole = await readAll(world, root);
      const paged = await readAll(world, root, { limit: 2 });
      expect(paged.pages).toBe(Math.ceil(whole.data.length / 2));
      expect(paged.data).toEqual(whole.data);
      expect(body(await world.call('GET', `${root}${query({ limit: 1, pageSize: 1 })}`)).data).toHaveLength(1);
      expectProblem(await world.call('GET', `${root}${query({ limit: 1, pageSize: 2 })}`), 400, 'InvalidRequest');
    });

    it('a sync brings what changed, in order of change', async () => {
      const [changed, removed] = [await create({ name: 'Changing' }), await create({ name: 'Going' })];
      const { nextSyncToken } = await readAll(world, root);
      const nothing = body(await world.call('GET', `${root}${query({ syncToken: nextSyncToken })}`));
      expect(nothing.data).toEqual([]);
      const added = await create({ name: 'Coming' });
      body(await world.call('DELETE', path(removed.id)));
      body(await world.call('PUT', path(changed.id), { body: { name: 'Changed' } }));
      const { data } = await readAll(world, root, { syncToken: nextSyncToken });
      expect(data.map((item) => item.id)).toEqual([added.id, removed.id, changed.id]);
      expect(data[1]).toEqual({ id: removed.id, isDeleted: true });
      expect(deletedCalendar(data[1])).toBeUndefined();
      expect(data[2]).toMatchObject({ name: 'Changed' });
      const paged = await readAll(world, root, { syncToken: nextSyncToken, limit: 1 });
      expect(paged.data).toEqual(data);
    });

    it('a sync tells what the person did at the provider', async () => {
      const [renamed, removed] = [await create({ name: 'Renaming' }), await create({ name: 'Going there' })];
      const { nextSyncToken } = await readAll(world, root);
      const [collection, field] = provider === 'google' ? ['/calendars', 'summary'] : ['/me/calendars', 'name'];
      const at = (id: string) => `${collection}/${encodeURIComponent(id)}`;
      await world.atProvider(provider, account.email, 'PATCH', at(renamed.id), { [field]: 'Renamed there' });
      await world.atProvider(provider, account.email, 'DELETE', at(removed.id));
      // A rename by the calendar's owner is not told incrementally at Google; the daily full list finds it.
      clock.pass(25 * 60 * MINUTE_MS);
      const { data } = await readAll(world, root, { syncToken: nextSyncToken });
      expect(data).toContainEqual({ id: removed.id, isDeleted: true });
      expect(data).toContainEqual({ ...renamed, name: 'Renamed there' });
      expect(data).toHaveLength(2);
    });

    it('a sync token of 31 days ago is 410', async () => {
      const { nextSyncToken } = await readAll(world, root);
      clock.pass(31 * 24 * 60 * MINUTE_MS);
      const answer = await world.call('GET', `${root}${query({ syncToken: nextSyncToken })}`);
      expectProblem(answer, 410, 'SyncTokenExpired');
    });

    it('refuses tokens that are altered, of another account, or of another kind', async () => {
      for (let index = 0; index < 2; index += 1) await create();
      const { nextSyncToken } = await readAll(world, root);
      const { nextPageToken } = body(await world.call('GET', `${root}${query({ limit: 1 })}`));
      const sync = (syncToken: string, at = root) => world.call('GET', `${at}${query({ syncToken })}`);
      const page = (pageToken: string, at = root) => world.call('GET', `${at}${query({ pageToken })}`);
      expect(encodeURIComponent(nextSyncToken)).toBe(nextSyncToken);
      expect(encodeURIComponent(nextPageToken)).toBe(nextPageToken);
      expectProblem(await sync(withOneBitChanged(nextSyncToken)), 400, 'InvalidSyncToken', 'syncToken');
      expectProblem(await page(withOneBitChanged(nextPageToken)), 400, 'InvalidPageToken', 'pageToken');
      expectProblem(await sync('nonsense'), 400, 'InvalidSyncToken', 'syncToken');
      expectProblem(await page('nonsense'), 400, 'InvalidPageToken', 'pageToken');
      expectProblem(await sync(nextPageToken), 400, 'InvalidSyncToken', 'syncToken');
      expectProblem(await page(nextSyncToken), 400, 'InvalidPageToken', 'pageToken');
      const other = calendarsPath((await world.connect(provider)).accountId);
      expectProblem(await sync(nextSyncToken, other), 400, 'InvalidSyncToken', 'syncToken');
      expectProblem(await page(nextPageToken, other), 400, 'InvalidPageToken', 'pageToken');
    });
  });

  describe('a calendar shared for reading', () => {
    it('is listed as shared and read-only, and every change of it is 403 CalendarReadOnly', async () => {
      const owner = await world.connect(provider);
      const shared = body(await world.call('POST', calendarsPath(owner.accountId), { body: { name: 'Shared' } }), 201);
      const theirs = body(
        await world.call('POST', eventsPath({ ...owner, calendarId: shared.id }), {
          body: { title: 'Theirs', start: { dateTime: '2026-03-02T09:00:00Z' } },
        }),
        201,
      );
      const calendarId = world.sandbox[provider].shareCalendar({
        ownerEmail: owner.email,
        calendarId: shared.id,
        withEmail: account.email,
        role: 'reader',
      });
      clock.pass(MINUTE_MS);
      const { data } = await readAll(world, root);
      const entry = data.find((item) => item.id === calendarId);
      expect(calendar(entry)).toBeUndefined();
      expect(entry).toMatchObject({ readOnly: true, isShared: true });

      const events = eventsPath({ ...account, calendarId });
      const [event] = body(await world.call('GET', events)).data;
      expect(event.title).toBe('Theirs');
      const start = { dateTime: '2026-03-02T09:00:00Z' };
      const refused = [
        await world.call('PUT', path(calendarId), { body: { timeZone: 'Asia/Tokyo' } }),
        await world.call('POST', events, { body: { title: 'Mine', start } }),
        await world.call('PUT', `${events}/${encodeURIComponent(event.id)}`, { body: { title: 'Mine' } }),
        await world.call('DELETE', `${events}/${encodeURIComponent(event.id)}`),
      ];
      for (const answer of refused) expectProblem(answer, 403, 'CalendarReadOnly');
      expect(body(await world.call('GET', events)).data).toEqual([event]);
      expect(body(await world.call('GET', eventsPath({ ...owner, calendarId: shared.id }, theirs.id))).title).toBe(
        'Theirs',
      );
    });
  });
});
