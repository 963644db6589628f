import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectCalDav, createSchedulingWorld } from '../interface/scheduling-world.ts';
import { body, type Connected, eventsPath, expectProblem } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';

let world: World;
let organizer: Connected;
let guest: Connected;
const rsvp = (at: Connected, id: string, headers: Readonly<Record<string, string>> = {}) =>
  world.call('POST', `${eventsPath(at, id)}/rsvp`, { body: { responseStatus: 'accepted' }, headers });

describe.each(['google', 'microsoft', 'caldav'] as const)('an answer to a cancelled occurrence at %s', (provider) => {
  beforeEach(async () => {
    world = await createSchedulingWorld();
    const connect = (name: string) =>
      provider === 'caldav'
        ? connectCalDav(world, `${name}@caldav.example`)
        : world.connect(provider, `${name}@${provider}.example`);
    [organizer, guest] = [await connect('ann'), await connect('bob')];
  });
  afterEach(() => world.close());

  const invite = async (attendees: readonly object[]): Promise<Json> => {
    const start = { dateTime: '2027-05-03T09:00:00', timeZone: 'Europe/Berlin' };
    const sent = { title: 'Daily', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], attendees };
    return body(await world.call('POST', eventsPath(organizer), { body: sent }), 201);
  };
  const cancelledIn = async (at: Connected, seriesId: string): Promise<Json> => {
    const path = eventsPath(at, `${seriesId}_20270505T070000Z`);
    body(await world.call('DELETE', path));
    const shown = body(await world.call('GET', path));
    expect(shown.isCancelled).toBe(true);
    return shown;
  };

  it.each([[[]], [[{ email: 'zoe@else.example' }]]])('is 403 for its organizer, with the guests %j', async (guests) => {
    const { id } = await cancelledIn(organizer, (await invite(guests)).id);
    expectProblem(await rsvp(organizer, id), 403, 'Forbidden');
  });

  it('is 409 for a guest, who is told that it is cancelled, and 412 under an old etag', async () => {
    const created = await invite([{ email: guest.email }]);
    const { data } = body(await world.call('GET', eventsPath(guest)));
    const series = data.find((event: Json) => event.iCalUid === created.iCalUid);
    const shown = await cancelledIn(guest, series.id);
    const answer = await rsvp(guest, shown.id);
    expectProblem(answer, 409, 'Conflict');
    expect(answer.body.detail).toContain('is cancelled');
    expectProblem(await rsvp(guest, shown.id, { 'if-match': '"old"' }), 412, 'PreconditionFailed');
    expect(body(await world.call('GET', eventsPath(guest, shown.id)))).toEqual(shown);
  });
});

it('an answer of a person who is not invited to a cancelled occurrence is 403', async () => {
  world = await createSchedulingWorld();
  guest = await world.connect('google');
  const { id } = await world.atProvider('google', guest.email, 'POST', '/calendars/primary/events/import', {
    iCalUID: 'board@else.example',
    summary: 'Board',
    organizer: { email: 'boss@else.example' },
    start: { dateTime: '2027-05-03T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2027-05-03T10:00:00Z', timeZone: 'UTC' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    attendees: [{ email: 'zoe@else.example' }],
  });
  const occurrence = `${id}_20270504T090000Z`;
  body(await world.call('DELETE', eventsPath(guest, occurrence)));
  const answer = await rsvp(guest, occurrence);
  expectProblem(answer, 403, 'Forbidden');
  expect(answer.body.detail).toContain('not invited');
  await world.close();
});

it('an answer to an occurrence of a series that its organizer cancelled is 409 at CalDAV, and brings nothing back', async () => {
  world = await createSchedulingWorld();
  guest = await connectCalDav(world, 'bob@caldav.example');
  const password = world.sandbox.caldav.addAppPassword({ email: guest.email });
  const address = `http://sandbox.test/caldav/calendars/${guest.email}/personal/off.ics`;
  const headers = { 'content-type': 'text/calendar', authorization: `Basic ${btoa(`${guest.email}:${password}`)}` };
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', 'UID:off', 'DTSTAMP:20260101T000000Z'],
    ...['STATUS:CANCELLED', 'SUMMARY:Off', 'DTSTART:20270503T090000Z', 'DTEND:20270503T100000Z'],
    ...['RRULE:FREQ=DAILY;COUNT=3', 'ORGANIZER:mailto:boss@else.example', `ATTENDEE:mailto:${guest.email}`],
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ];
  const at = (init: RequestInit) => world.sandbox.fetch(new Request(address, { ...init, headers }));
  expect((await at({ method: 'PUT', body: lines.join('\r\n') })).status).toBe(201);
  const stored = await (await at({})).text();
  const { data } = body(await world.call('GET', `${eventsPath(guest)}?isCancelled=true`));
  const series = data.find((event: Json) => event.iCalUid === 'off');
  const answer = await rsvp(guest, `${series.id}_20270504T090000Z`);
  expectProblem(answer, 409, 'Conflict');
  expect(await (await at({})).text()).toBe(stored);
  await world.close();
});
