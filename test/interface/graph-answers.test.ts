import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, readAll } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

/* Graph's own ways, over the public interface: declined meetings, restless change keys, calendars of others. */

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
let host: Connected;
let guest: Connected;
beforeAll(async () => {
  world = await createWorld({ clock });
});
beforeEach(async () => {
  host = await world.connect('microsoft');
  guest = await world.connect('microsoft');
});
afterAll(() => world.close());

const meeting = {
  title: 'Planning',
  start: { dateTime: '2026-12-07T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-07T10:00:00', timeZone: 'Europe/Berlin' },
};
const create = async (more: object = {}): Promise<Json> =>
  body(await world.call('POST', eventsPath(host), { body: { ...meeting, ...more } }), 201);
const list = (at: Connected, syncToken?: string) => {
  clock.pass(MINUTE_MS);
  return readAll(world, eventsPath(at), syncToken === undefined ? {} : { syncToken });
};
const invited = async (more: object = {}): Promise<Json> => {
  await create({ ...more, attendees: [{ email: guest.email }] });
  const { data } = await list(guest);
  return data.find(({ title }: Json) => title === meeting.title);
};
const rsvp = (id: string, responseStatus: string) =>
  world.call('POST', `${eventsPath(guest, id)}/rsvp`, { body: { responseStatus } });
const control = (name: string, input: object) => world.sandbox.microsoft.controls[name]?.({ ...input });
const graphWrites = () =>
  world.sandbox.requests.list().filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'));

describe('a declined meeting', () => {
  it('stays as declined through changes, bumps and a full resync, and no sync writes it anew', async () => {
    const { id } = await invited();
    body(await rsvp(id, 'declined'));
    const { data, nextSyncToken } = await list(guest);
    const declined = data.find((event: Json) => event.id === id);
    expect(declined).toMatchObject({ title: 'Planning', myResponseStatus: 'declined', isCancelled: false });
    world.sandbox.requests.clear();
    control('bumpChangeKeys', { email: guest.email });
    expect((await list(guest, nextSyncToken)).data).toEqual([]);
    control('expireDeltaTokens', {});
    expect((await list(guest, nextSyncToken)).data).toEqual([]);
    expect(body(await world.call('GET', eventsPath(guest, id)))).toEqual(declined);
    expect(graphWrites()).toEqual([]);
    const { value } = await world.atProvider('microsoft', host.email, 'GET', '/me/events');
    expect(value[0].attendees[0].status.response).toBe('declined');
  });

  it('may be declined again, accepted afterwards, and can be deleted while declined', async () => {
    const { id } = await invited();
    body(await rsvp(id, 'declined'));
    body(await rsvp(id, 'declined'));
    body(await rsvp(id, 'accepted'));
    expect(body(await world.call('GET', eventsPath(guest, id))).myResponseStatus).toBe('accepted');
    body(await rsvp(id, 'declined'));
    expect(body(await world.call('GET', eventsPath(guest, id))).myResponseStatus).toBe('declined');
    body(await world.call('DELETE', eventsPath(guest, id)));
    expectProblem(await world.call('GET', eventsPath(guest, id)), 404, 'NotFound');
    expect((await list(guest)).data).toEqual([]);
  });

  it('is one occurrence of a series where that was declined', async () => {
    const { id } = await invited({ recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
    const slot = `${id}_20261208T080000Z`;
    body(await rsvp(slot, 'declined'));
    const shown = async () => {
      clock.pass(MINUTE_MS);
      const parameters =
        '?expandRecurrences=true&startDateTime=2026-12-01T00:00:00Z&endDateTime=2027-01-01T00:00:00Z&orderBy=startDateTime';
      const { data } = body(await world.call('GET', `${eventsPath(guest)}${parameters}`));
      return data.map(({ myResponseStatus }: Json) => myResponseStatus);
    };
    expect(await shown()).toEqual(['needsAction', 'declined', 'needsAction', 'needsAction']);
    control('expireDeltaTokens', {});
    expect(await shown()).toEqual(['needsAction', 'declined', 'needsAction', 'needsAction']);
  });
});

it('change keys that move by themselves make no version, whatever is written meanwhile', async () => {
  control('setExtraChangeKeys', { share: 1 });
  try {
    await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20261209T090000'] });
    const { id } = await create({
      privateExtendedProperties: { a: '1' },
      reminders: { overrides: [{ method: 'email', minutes: 5 }] },
    });
    await world.call('PUT', eventsPath(host, id), { body: { title: 'Renamed' } });
    let { nextSyncToken } = await list(host);
    for (let round = 0; round < 3; round += 1) {
      control('bumpChangeKeys', { email: host.email });
      const next = await list(host, nextSyncToken);
      expect(next.data).toEqual([]);
      nextSyncToken = next.nextSyncToken;
    }
  } finally {
    control('setExtraChangeKeys', { share: 0.2 });
  }
});

describe('another tenant’s', () => {
  it('meeting is changed by its organizer only; what is the guest’s own is not', async () => {
    const { id } = await invited();
    for (const change of [
      { title: 'Mine' },
      { start: meeting.end, end: null },
      { attendees: [] },
      { recurrence: ['RRULE:FREQ=DAILY'] },
    ]) {
      const answer = await world.call('PUT', eventsPath(guest, id), { body: change });
      expectProblem(answer, 403, 'Forbidden');
      expect(answer.body.detail).toBe('Only the organizer may change this event.');
    }
    const own = { colorId: '4', transparency: 'transparent', privateExtendedProperties: { k: 'v' } };
    expect(body(await world.call('PUT', eventsPath(guest, id), { body: own }))).toMatchObject(own);
  });

  it('calendar that may only be read refuses every write, before the provider is asked', async () => {
    await create();
    const calendarId = world.sandbox.microsoft.shareCalendar({
      ownerEmail: host.email,
      calendarId: host.calendarId,
      withEmail: guest.email,
      role: 'reader',
    });
    clock.pass(MINUTE_MS);
    const calendars = body(await world.call('GET', calendarsPath(guest.accountId))).data;
    expect(calendars.find(({ id }: Json) => id === calendarId)).toMatchObject({ readOnly: true, isShared: true });
    const at = { ...guest, calendarId };
    const [event] = (await list(at)).data;
    world.sandbox.requests.clear();
    const writes: readonly [string, string, object?][] = [
      ['POST', eventsPath(at), meeting],
      ['PUT', eventsPath(at, event.id), { title: 'Mine' }],
      ['DELETE', eventsPath(at, event.id)],
      ['POST', `${eventsPath(at, event.id)}/rsvp`, { responseStatus: 'accepted' }],
    ];
    for (const [method, path, sent] of writes) {
      const answer = await world.call(method, path, sent === undefined ? {} : { body: sent });
      expectProblem(answer, 403, 'CalendarReadOnly');
    }
    expect(graphWrites()).toEqual([]);
  });
});

describe('a calendar', () => {
  it('keeps its exact colour and its zone, and gives them up for what is set in Outlook', async () => {
    const sent = { name: 'Plans', hexColor: '#123456', timeZone: 'Asia/Kathmandu' };
    const made = body(await world.call('POST', calendarsPath(host.accountId), { body: sent }), 201);
    expect(made).toMatchObject(sent);
    const one = calendarsPath(host.accountId, made.id);
    const changed = { hexColor: '#fedcba', timeZone: 'US/Pacific' };
    expect(body(await world.call('PUT', one, { body: changed }))).toMatchObject({ ...sent, ...changed });
    clock.pass(MINUTE_MS);
    expect(body(await world.call('GET', one))).toMatchObject({ ...sent, ...changed });
    const event = body(
      await world.call('POST', eventsPath({ ...host, calendarId: made.id }), {
        body: { title: 'x', start: { dateTime: '2026-12-07T09:00:00' } },
      }),
      201,
    );
    expect(event.start).toEqual({ dateTime: '2026-12-07T09:00:00-08:00', timeZone: 'US/Pacific' });
    const cleared = body(await world.call('PUT', one, { body: { hexColor: null, timeZone: null } }));
    expect(cleared).toMatchObject({ name: 'Plans', timeZone: 'Europe/Berlin' });
    expect(cleared.hexColor).not.toBe('#fedcba');
    await world.call('PUT', one, { body: { hexColor: '#fedcba' } });
    await world.atProvider('microsoft', host.email, 'PATCH', `/me/calendars/${made.id}`, { color: 'lightGreen' });
    clock.pass(60 * MINUTE_MS);
    expect(body(await world.call('GET', one)).hexColor).toBe('#87d28e');
    body(await world.call('DELETE', one));
    expectProblem(await world.call('GET', one), 404, 'NotFound');
    expectProblem(await world.call('DELETE', calendarsPath(host.accountId, host.calendarId)), 403, 'Forbidden');
  });
});
