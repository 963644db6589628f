import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

let world: McpWorld;
let agent: McpClient;
let microsoft: { readonly accountId: string; readonly calendarId: string };
let google: typeof microsoft;
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  const { text } = await agent.call('list_calendars', { accountId: world.accounts.microsoft });
  const [, literal = ''] = /calendarId: (".*")/.exec(text) ?? [];
  microsoft = { accountId: world.accounts.microsoft, calendarId: JSON.parse(literal) };
  google = { accountId: world.accounts.google, calendarId: PEOPLE.google.email };
});
afterAll(() => world.close());

async function refused(tool: string, input: Readonly<Record<string, unknown>>, ...words: readonly string[]) {
  const { text, isError } = await agent.call(`preview_${tool}`, input);
  expect(isError, text).toBe(true);
  for (const part of words) expect(text).toContain(part);
}

async function written(tool: string, input: Readonly<Record<string, unknown>>) {
  const preview = await agent.call(`preview_${tool}`, input);
  expect(preview, preview.text).toMatchObject({ isError: false });
  const done = await agent.call(tool, { ...input, previewToken: tokenOf(preview) });
  expect(done, done.text).toMatchObject({ isError: false });
  return { preview: preview.text, done: done.text };
}

const NINE = { title: 'Plan', start: '2027-02-01T09:00' };
const NO_SWITCH = 'has no switch for it';

it('no preview of a new event is issued for what the write would refuse', async () => {
  const at = { ...microsoft, ...NINE };
  const guests = { attendees: ['a@x.example'], notifyAttendees: 'none' };
  await refused('create_event', { ...at, ...guests }, 'UnsupportedByProvider', NO_SWITCH, 'about "notifyAttendees"');
  await refused('create_event', { ...at, recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15'] }, 'UnsupportedByProvider');
  await refused('create_event', { ...at, title: 'bad\u0000' }, 'title: must be Unicode text');
  const twice = ['a@x.example', 'A@x.example'];
  await refused('create_event', { ...google, ...NINE, attendees: twice }, 'attendees A@x.example');
});

it('no preview of a change, a cancellation or a booking is issued for what the write would refuse', async () => {
  const { done } = await written('create_event', { ...microsoft, ...NINE, attendees: ['a@x.example'] });
  const event = { ...microsoft, eventId: idOf(done.replace(/^DONE.\nCreated:\n/, ''), 'Plan', 'eventId') };
  await refused('change_event', { ...event, title: 'New', notifyAttendees: 'none' }, NO_SWITCH);
  await refused('cancel_event', { ...event, notifyAttendees: 'none' }, NO_SWITCH);
  await refused('change_event', { ...event, title: 'bad\u0000' }, 'title: must be Unicode text');
  const monthly = { recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15'] };
  await refused('change_event', { ...event, ...monthly }, 'UnsupportedByProvider');
  const people = { participants: [{ accountId: microsoft.accountId }, { accountId: google.accountId }] };
  const held = await agent.call('hold_slot', { ...people, start: '2027-02-02T09:00' });
  const [, holdId] = /holdId: "(.*)"/.exec(held.text) ?? [];
  await refused('confirm_hold', { holdId, title: 'Met', notifyAttendees: 'none' }, NO_SWITCH);
  await refused('confirm_hold', { holdId, title: 'bad\u0000' }, 'title: must be Unicode text');
  await written('change_event', { ...event, title: 'New', notifyAttendees: 'all' });
  await written('cancel_event', event);
});

it('attendees are added once each, and those who are there already are said to be', async () => {
  const { done } = await written('create_event', { ...google, ...NINE, attendees: ['bob@x.example'] });
  const event = { ...google, eventId: idOf(done.replace(/^DONE.\nCreated:\n/, ''), 'Plan', 'eventId') };
  const addAttendees = ['dup@x.example', 'DUP@x.example', 'BOB@x.example'];
  const { preview } = await written('change_event', { ...event, addAttendees });
  expect(preview).toContain('  invited as well: "dup@x.example"\n  there already: "BOB@x.example"\n');
  expect(preview).toContain(
    'Mail: the provider tells the attendees about a change of what they see: "bob@x.example", "dup@x.example".',
  );
  const { text } = await agent.call('get_event', event);
  expect(text).toContain('attendees (2)');
});

it('events and bookings are changed and cancelled whatever their provider lets them have', async () => {
  const token = await world.sandbox.accessToken({ provider: 'google', email: PEOPLE.google.email });
  const send = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await fetch(`${world.url}/google/calendar/v3/calendars/primary/events${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { id: string }).id;
  };
  const summary = 'L'.repeat(1_500);
  const nine = { start: { dateTime: '2027-02-03T09:00:00Z' }, end: { dateTime: '2027-02-03T10:00:00Z' } };
  const late = { dateTime: '9999-12-30T23:30:00Z' };
  const long = { ...google, eventId: await send('POST', '', { summary, ...nine }) };
  const last = { ...google, eventId: await send('POST', '', { summary: 'Last', start: late, end: late }) };
  const slot = { participants: [{ accountId: google.accountId }], start: '2027-02-04T09:00' };
  const [, holdId] = /holdId: "(.*)"/.exec((await agent.call('hold_slot', slot)).text) ?? [];
  const { done } = await written('confirm_hold', { holdId, title: 'Met' });
  const [, bookingToken] = /bookingToken: "(.*)"/.exec(done) ?? [];
  await send('PATCH', `/${idOf(done.replace(/^DONE.\nBooked:\n/, ''), 'Met', 'eventId')}`, { summary });
  world.clock.advance(3_600_000);
  const { data } = await world.engine.events.list(
    { applicationId: world.applicationId },
    google.accountId,
    google.calendarId,
    {},
  );
  expect(data.filter(({ title }) => title === summary)).toHaveLength(2);
  await written('change_event', { ...long, start: '2027-02-03T12:00' });
  await written('change_event', { ...last, title: 'Over' });
  for (const event of [long, last]) await written('cancel_event', event);
  await written('move_booking', { bookingToken, start: '2027-02-04T12:00' });
  await written('cancel_booking', { bookingToken });
});

it('no more attendees are added than the event may have in all', async () => {
  const emails = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}${index}@x.example`);
  const { done } = await written('create_event', { ...google, ...NINE, attendees: emails('a', 150) });
  const event = { ...google, eventId: idOf(done.replace(/^DONE.\nCreated:\n/, ''), 'Plan', 'eventId') };
  const addAttendees = emails('b', 60);
  await refused('change_event', { ...event, addAttendees }, 'must have at most 200 attendees');
  await written('change_event', { ...event, addAttendees, removeAttendees: emails('a', 10) });
  const others = {
    addAttendees: emails('c', 180),
    removeAttendees: [...emails('a', 150).slice(10), ...addAttendees.slice(0, 50)],
  };
  await written('change_event', { ...event, ...others, notifyAttendees: 'all' });
});

it('times beyond the year 9999 are refused by their field', async () => {
  const rule = 'must lie between the years 1 and 9999';
  const { done } = await written('create_event', { ...google, ...NINE });
  const event = { ...google, eventId: idOf(done.replace(/^DONE.\nCreated:\n/, ''), 'Plan', 'eventId') };
  for (const start of ['9999-12-31T23:00', '9999-12-31T23:30', '0001-01-01T00:00']) {
    await refused('create_event', { ...google, title: 'Late', start }, 'start', rule);
    await refused('change_event', { ...event, start }, `start: ${rule}`);
  }
  const late = { start: '9999-12-31T21:00', end: '9999-12-31T22:00', timeZone: 'America/New_York' };
  await refused('change_event', { ...event, ...late }, `start: ${rule}`);
  const long = { start: '9999-12-30T09:00', end: '9999-12-31T09:00' };
  await refused('change_event', { ...event, ...long }, `end: ${rule}`);
  await refused('change_event', { ...event, start: '9999-12-31' }, `end: ${rule}`);
});
