import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Person, timed } from './harness.ts';

const GUID = '{00020329-0000-0000-C000-000000000046}';

let harness: Harness;
let ada: Person;
let ben: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
  ben = await harness.person('ben@contoso.test');
});

const addCalendar = async (name: string, more = {}) =>
  (await ada.call('POST', '/me/calendars', { name, ...more })).body;

describe('mailbox', () => {
  test('/me names the person, mailboxSettings the zone in Windows’ words', async () => {
    expect(await ada.read('/me')).toMatchObject({ mail: 'ada@contoso.test', displayName: 'Ada' });
    expect((await ada.read('/me/mailboxSettings')).timeZone).toBe('Eastern Standard Time');
    expect((await ben.read('/me/mailboxSettings')).timeZone).toBe('W. Europe Standard Time');
  });

  test('/users/{own address} is /me, another person’s is refused', async () => {
    expect((await ada.read('/users/ada@contoso.test')).mail).toBe('ada@contoso.test');
    expect((await ada.get('/users/ben@contoso.test/calendars')).status).toBe(403);
  });

  test('master categories list and grow', async () => {
    const { value } = await ada.read('/me/outlook/masterCategories');
    expect(value[0]).toMatchObject({ displayName: 'Red category', color: 'preset0' });
    const category = { displayName: 'Deep work', color: 'preset24' };
    expect((await ada.call('POST', '/me/outlook/masterCategories', category)).status).toBe(201);
    expect((await ada.call('POST', '/me/outlook/masterCategories', category)).status).toBe(409);
    const odd = { displayName: 'Odd', color: 'preset25' };
    expect((await ada.call('POST', '/me/outlook/masterCategories', odd)).status).toBe(400);
  });
});

describe('calendars', () => {
  test('the default calendar', async () => {
    expect(await ada.read('/me/calendar')).toMatchObject({
      name: 'Calendar',
      isDefaultCalendar: true,
      canEdit: true,
      canShare: true,
      isRemovable: false,
      hexColor: '',
      color: 'auto',
      allowedOnlineMeetingProviders: ['teamsForBusiness'],
      owner: { address: 'ada@contoso.test', name: 'Ada' },
    });
  });

  test('lists page by ten, following the next link', async () => {
    for (let n = 1; n <= 11; n += 1) await addCalendar(`C${n}`);
    const first = await ada.read('/me/calendars');
    expect(first.value).toHaveLength(10);
    expect(first['@odata.nextLink']).toContain('$skip=10'.replace('$', '%24'));
    const { items, pages } = await ada.all('/me/calendars');
    expect([items.length, pages]).toEqual([12, 2]);
    expect((await ada.read('/me/calendars?$top=50')).value).toHaveLength(12);
    expect((await ada.read('/me/calendars?$top=3&$skip=10')).value).toHaveLength(2);
    expect((await ada.read('/me/calendars?$count=true&$top=1'))['@odata.count']).toBe(12);
    expect((await ada.read('/me/calendars', { prefer: 'odata.maxpagesize=5' })).value).toHaveLength(5);
  });

  test('create, rename, colour and delete', async () => {
    const made = await addCalendar('Travel', { color: 'lightRed', hexColor: '#123456' });
    expect(made).toMatchObject({ name: 'Travel', color: 'lightRed', hexColor: '', isRemovable: true });
    const patched = await ada.call('PATCH', `/me/calendars/${made.id}`, { name: 'Trips', color: 'lightBlue' });
    expect(patched.body).toMatchObject({ name: 'Trips', color: 'lightBlue' });
    expect(patched.body.changeKey).not.toBe(made.changeKey);
    expect((await ada.call('DELETE', `/me/calendars/${made.id}`)).status).toBe(204);
    expect((await ada.get(`/me/calendars/${made.id}`)).body.error.code).toBe('ErrorItemNotFound');
  });

  test('names are unique, the default calendar stays', async () => {
    await addCalendar('Travel');
    expect((await ada.call('POST', '/me/calendars', { name: 'Travel' })).status).toBe(409);
    expect((await ada.call('POST', '/me/calendars', { color: 'auto' })).status).toBe(400);
    expect((await ada.call('POST', '/me/calendars', { name: 'X', color: 'pink' })).status).toBe(400);
    const { id } = await ada.read('/me/calendar');
    expect((await ada.call('DELETE', `/me/calendars/${id}`)).status).toBe(403);
    expect((await ada.call('PATCH', `/me/calendars/${id}`, { name: 'Mine' })).status).toBe(400);
  });

  test('keep extended properties, shown only by $expand', async () => {
    const id = `String ${GUID} Name zone`;
    const made = await addCalendar('Travel', { singleValueExtendedProperties: [{ id, value: 'Asia/Tokyo' }] });
    expect(await ada.read(`/me/calendars/${made.id}`)).not.toHaveProperty('singleValueExtendedProperties');
    const expand = encodeURIComponent(
      `singleValueExtendedProperties($filter=id eq '${id.toLowerCase().replace('string', 'String').replace('name', 'Name')}')`,
    );
    const { singleValueExtendedProperties } = await ada.read(`/me/calendars/${made.id}?$expand=${expand}`);
    expect(singleValueExtendedProperties).toEqual([{ id, value: 'Asia/Tokyo' }]);
    await ada.call('PATCH', `/me/calendars/${made.id}`, { singleValueExtendedProperties: [{ id, value: null }] });
    expect(await ada.read(`/me/calendars/${made.id}?$expand=${expand}`)).not.toHaveProperty(
      'singleValueExtendedProperties',
    );
  });

  test('with the id quirk the answered id finds nothing; the list shows the lasting one', async () => {
    harness.control('setCalendarIdQuirk', { enabled: true });
    const made = await addCalendar('Travel');
    expect((await ada.get(`/me/calendars/${made.id}`)).status).toBe(404);
    const listed = (await ada.all('/me/calendars')).items.find(({ name }) => name === 'Travel');
    expect(listed.id).not.toBe(made.id);
    expect((await ada.get(`/me/calendars/${listed.id}`)).status).toBe(200);
  });

  test('malformed ids are 400, unknown ones 404', async () => {
    expect((await ada.get('/me/calendars/team')).body.error.code).toBe('ErrorInvalidIdMalformed');
    expect((await ada.get('/me/calendars/AAMkAGxyz=')).body.error.code).toBe('ErrorItemNotFound');
    expect((await ada.get('/me/calendarGroups/none/calendars')).status).toBe(404);
  });

  test('groups split own and others’ calendars', async () => {
    const { value } = await ada.read('/me/calendarGroups');
    const names = async (group: { id: string }) =>
      (await ada.read(`/me/calendarGroups/${group.id}/calendars`)).value.map(({ name }: { name: string }) => name);
    expect(await names(value[0])).toEqual(['Calendar']);
    expect(await names(value[1])).toEqual([]);
  });
});

describe('shared calendars', () => {
  async function share(role: 'reader' | 'writer') {
    const { id: calendarId } = await ada.read('/me/calendar');
    const id = harness.server.shareCalendar({
      ownerEmail: 'ada@contoso.test',
      calendarId,
      withEmail: 'ben@contoso.test',
      role,
    });
    return { calendarId, id };
  }

  test('have an id of their own, the owner’s address and canEdit by role', async () => {
    const { calendarId, id } = await share('reader');
    expect(id).not.toBe(calendarId);
    const reader = (await ben.all('/me/calendars')).items.find((calendar) => calendar.id === id);
    expect(reader).toMatchObject({
      owner: { address: 'ada@contoso.test' },
      canEdit: false,
      canShare: false,
      isDefaultCalendar: false,
      canViewPrivateItems: false,
    });
    expect((await share('writer')).id).toBe(id);
    expect((await ben.read(`/me/calendars/${id}`)).canEdit).toBe(true);
    expect((await ben.get(`/me/calendars/${calendarId}`)).status).toBe(404);
  });

  test('show events on the calendar’s path only; /me/events/{id} finds nothing', async () => {
    const { id } = await share('reader');
    const event = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    expect((await ben.read(`/me/calendars/${id}/events/${event.id}`)).subject).toBe('Review');
    expect((await ben.get(`/me/events/${event.id}`)).status).toBe(404);
    expect((await ben.read(`/me/calendars/${id}/events`)).value).toHaveLength(1);
    expect((await ben.read('/me/events')).value).toHaveLength(0);
  });

  test('refuse writes of a reader; a writer’s events belong to the owner', async () => {
    const { id } = await share('reader');
    const path = `/me/calendars/${id}/events`;
    const refused = await ben.call('POST', path, timed('Mine', '2026-03-02T09:00:00'));
    expect([refused.status, refused.body.error.code]).toEqual([403, 'ErrorAccessDenied']);
    await share('writer');
    const { status, body } = await ben.call('POST', path, timed('Mine', '2026-03-02T09:00:00'));
    expect(status).toBe(201);
    expect(body).toMatchObject({ organizer: { emailAddress: { address: 'ada@contoso.test' } }, isOrganizer: true });
    expect((await ada.read(`/me/events/${body.id}`)).subject).toBe('Mine');
  });

  test('hide what is private', async () => {
    const { id } = await share('writer');
    const event = await ada.create(timed('Doctor', '2026-03-02T09:00:00', 'UTC', { sensitivity: 'private' }));
    expect((await ben.read(`/me/calendars/${id}/events/${event.id}`)).subject).toBe('Private Appointment');
    expect((await ada.read(`/me/events/${event.id}`)).subject).toBe('Doctor');
  });

  test('leave with the receiver, die with the owner', async () => {
    const made = await addCalendar('Team');
    const shareIt = () =>
      harness.server.shareCalendar({
        ownerEmail: 'ada@contoso.test',
        calendarId: made.id,
        withEmail: 'ben@contoso.test',
        role: 'writer',
      });
    expect((await ben.call('DELETE', `/me/calendars/${shareIt()}`)).status).toBe(204);
    expect((await ada.get(`/me/calendars/${made.id}`)).status).toBe(200);
    const again = shareIt();
    await ada.call('DELETE', `/me/calendars/${made.id}`);
    expect((await ben.get(`/me/calendars/${again}`)).status).toBe(404);
  });
});

describe('state', () => {
  test('a snapshot brings everything back, tokens included', async () => {
    const event = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    const saved = JSON.parse(JSON.stringify(harness.server.snapshot()));
    await ada.call('DELETE', `/me/events/${event.id}`);
    expect((await ada.get(`/me/events/${event.id}`)).status).toBe(404);
    harness.server.restore(saved);
    expect((await ada.read(`/me/events/${event.id}`)).subject).toBe('Review');
  });

  test('mailboxes are added once, whatever the case', () => {
    harness.server.addMailbox({ email: 'ADA@contoso.test', name: 'Other', timeZone: 'UTC' });
    expect(harness.server.mailboxes()).toEqual(['ada@contoso.test', 'ben@contoso.test', 'cleo@fabrikam.test']);
    expect(harness.server.hasMailbox('Ada@Contoso.test')).toBe(true);
  });

  test('controls refuse input they do not know', () => {
    expect(() => harness.control('setConcurrencyLimit', { limit: 'four' })).toThrow(RangeError);
    expect(() => harness.control('revokeGrant', { mail: 'x' })).toThrow(RangeError);
  });
});
