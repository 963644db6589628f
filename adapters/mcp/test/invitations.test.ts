import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, PEOPLE, type PersonAt, tokenOf } from './mcp-world.ts';

/** Each person is invited by another one at the same provider. */
let world: McpWorld;
let agent: McpClient;
let caller: { readonly applicationId: string };
type Place = { readonly accountId: string; readonly calendarId: string };
const own = {} as Record<PersonAt, Place>;
const bosses = {} as Record<PersonAt, Place>;
const BOSS = { google: 'boss@gmail.example', microsoft: 'boss@outlook.example', caldav: 'boss@dav.example' } as const;
const PROVIDERS = ['google', 'microsoft', 'caldav'] as const;

beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  caller = { applicationId: world.applicationId };
  const { sandbox, engine, url } = world;
  for (const name of PROVIDERS) {
    const email = BOSS[name];
    sandbox[name].addMailbox({ email, name: 'Boss', timeZone: 'Europe/London' });
    const { providerType } = PEOPLE[name];
    const password = name === 'caldav' ? sandbox.caldav.addAppPassword({ email }) : '';
    const credentials = { kind: 'password', serverUrl: `${url}/caldav/`, username: email, password } as const;
    const { account } = await engine.accounts.upsert(caller, {
      email,
      providerType,
      ...(name === 'caldav'
        ? { credentials }
        : { refreshToken: sandbox[name].issueRefreshToken({ email, clientId: 'app' }) }),
    });
    own[name] = await primaryOf(world.accounts[name]);
    bosses[name] = await primaryOf(account.id);
  }
});
afterAll(() => world.close());

async function primaryOf(accountId: string): Promise<Place> {
  const { data } = await world.engine.calendars.list(caller, accountId, {});
  return { accountId, calendarId: (data.find(({ isPrimary }) => isPrimary) ?? data[0])?.id ?? '' };
}

/** Creates an event of the boss and returns it as its guest has it. */
async function invitation(name: PersonAt, title: string, more: object = {}): Promise<Place & { eventId: string }> {
  const { events } = world.engine;
  const boss = bosses[name];
  await events.create(caller, boss.accountId, boss.calendarId, {
    title,
    start: { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/London' },
    attendees: [{ email: PEOPLE[name].email }],
    ...more,
  });
  world.clock.advance(3_600_000);
  const { accountId, calendarId } = own[name];
  const found = () => events.list(caller, accountId, calendarId, { search: title, isCancelled: false });
  await expect.poll(async () => (await found()).data.length).toBeGreaterThan(0);
  const [event] = (await found()).data;
  return { accountId, calendarId, eventId: event?.recurringEventId ?? event?.id ?? '' };
}

async function refused(tool: string, input: object, words: string) {
  expect(await agent.call(`preview_${tool}`, { ...input })).toMatchObject({
    isError: true,
    text: expect.stringContaining(words),
  });
}

async function written(tool: string, input: object) {
  const preview = await agent.call(`preview_${tool}`, { ...input });
  expect(preview, preview.text).toMatchObject({ isError: false });
  const done = await agent.call(tool, { ...input, previewToken: tokenOf(preview) });
  expect(done, done.text).toMatchObject({ isError: false });
}

const ORGANIZERS = 'Only the organizer may change this event.';

it.each(PROVIDERS)('a guest at %s gets no preview of a change that is for the organizer alone', async (name) => {
  const event = await invitation(name, `Of the boss at ${name}`);
  for (const change of [
    { title: 'Mine' },
    { location: 'Elsewhere' },
    { start: '2027-03-02T12:00' },
    { removeAttendees: [PEOPLE[name].email] },
  ]) {
    await refused('change_event', { ...event, ...change }, ORGANIZERS);
  }
  await written('change_event', { ...event, title: `Of the boss at ${name}` });
  await written('cancel_event', event);
});

it.each(PROVIDERS)('a guest at %s gets no preview of a split of a series', async (name) => {
  const { eventId, ...place } = await invitation(name, `Series of the boss at ${name}`, {
    recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
  });
  const later = { ...place, eventId: `${eventId}_20270303T090000Z`, scope: 'following' };
  await refused('cancel_event', later, 'Only the organizer can split a series.');
  await refused('change_event', { ...later, title: 'Mine' }, 'Only the organizer can split a series.');
  await refused('change_event', { ...later, scope: 'all', start: '2027-03-03T12:00' }, ORGANIZERS);
  await refused('change_event', { ...later, scope: 'this', title: 'Mine' }, ORGANIZERS);
  await written('cancel_event', { ...later, scope: 'this' });
});

it('guests change what the organizer lets them change', async () => {
  const open = await invitation('google', 'Open', { guestsCanModify: true });
  await written('change_event', { ...open, title: 'Open to all', addAttendees: ['third@x.example'] });
  const closed = await invitation('google', 'Closed', { guestsCanInviteOthers: false });
  await refused('change_event', { ...closed, addAttendees: ['third@x.example'] }, ORGANIZERS);
  // Google says of the others whether they may be invited.
  const usual = await invitation('google', 'Usual');
  const preview = await agent.call('preview_change_event', { ...usual, addAttendees: ['third@x.example'] });
  expect(preview, preview.text).toMatchObject({ isError: false });
  await refused('change_event', { ...usual, addAttendees: ['third@x.example'], title: 'Mine' }, ORGANIZERS);
});

it('a guest withholds mail where the write does', async () => {
  const quiet = { notifyAttendees: 'none' };
  const dav = await invitation('caldav', 'Loud');
  await refused('cancel_event', { ...dav, ...quiet }, 'UnsupportedByProvider');
  for (const name of ['google', 'microsoft'] as const) {
    await written('cancel_event', { ...(await invitation(name, 'Quiet')), ...quiet });
  }
});

it("who writes for a calendar's owner changes what the owner organizes", async () => {
  const path = Buffer.from(bosses.caldav.calendarId, 'base64url').toString().slice('/caldav'.length);
  const withEmail = PEOPLE.caldav.email;
  world.sandbox.caldav.shareCalendar({ ownerEmail: BOSS.caldav, calendarId: path, withEmail, role: 'writer' });
  world.clock.advance(3_600_000);
  const { accountId } = own.caldav;
  const { data } = await world.engine.calendars.list(caller, accountId, {});
  const place = { accountId, calendarId: data.find(({ isShared }) => isShared)?.id ?? '' };
  const { id } = await world.engine.events.create(caller, place.accountId, place.calendarId, {
    title: 'For the boss',
    start: { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/London' },
    attendees: [{ email: 'third@x.example' }],
  });
  const event = await world.engine.events.get(caller, place.accountId, place.calendarId, id);
  expect(event.organizer).toMatchObject({ email: BOSS.caldav, isSelf: false });
  await written('change_event', { ...place, eventId: id, title: 'Still for the boss' });
});

it('mail about an event without attendees is withheld in the calendar of another person too', async () => {
  const { microsoft } = world.sandbox;
  const source = { name: 'Team', timeZone: 'Europe/London', events: [], unsupported: [] };
  const calendarId = microsoft.importCalendar(BOSS.microsoft, source);
  const withEmail = PEOPLE.microsoft.email;
  microsoft.shareCalendar({ ownerEmail: BOSS.microsoft, calendarId, withEmail, role: 'writer' });
  world.clock.advance(3_600_000);
  const { accountId } = own.microsoft;
  const { data } = await world.engine.calendars.list(caller, accountId, {});
  const place = { accountId, calendarId: data.find(({ name }) => name === 'Team')?.id ?? '' };
  const { id } = await world.engine.events.create(caller, place.accountId, place.calendarId, {
    title: 'Solo',
    start: { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/London' },
  });
  const event = { ...place, eventId: id };
  const { text } = await agent.call('preview_cancel_event', event);
  expect(text).toContain('Mail: none. The event has no other attendees.');
  await written('change_event', { ...event, title: 'Alone', notifyAttendees: 'none' });
  await written('cancel_event', { ...event, notifyAttendees: 'none' });
});
