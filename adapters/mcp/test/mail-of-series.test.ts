import { createMcpHandler } from '@kalends/mcp';
import { KalendsError } from 'kalends';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, tokenOf } from './mcp-world.ts';

const BOB = 'bob@outlook.example';
let world: McpWorld;
let agent: McpClient;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld();
  world.sandbox.microsoft.addMailbox({ email: BOB, name: 'Bob', timeZone: 'Europe/London' });
  agent = await world.connect(world.handler());
  const accountId = world.accounts.microsoft;
  const { data } = await world.engine.calendars.list({ applicationId: world.applicationId }, accountId, {});
  place = { accountId, calendarId: data.find(({ isPrimary }) => isPrimary)?.id ?? '' };
});
afterAll(() => world.close());

const mails = () => world.sandbox.microsoft.controls['listMails']?.({}) as readonly { readonly to: string }[];

/** Creates a daily series of four with an occurrence of its own, on its second day. */
async function seriesWith(series: object, occurrence: object): Promise<{ readonly [day: number]: string }> {
  const { events } = world.engine;
  const caller = { applicationId: world.applicationId };
  const { id } = await events.create(caller, place.accountId, place.calendarId, {
    title: 'Series',
    start: { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/London' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
    ...series,
  });
  const idOn = (day: number) => `${id}_2027030${day}T090000Z`;
  await events.update(caller, place.accountId, place.calendarId, idOn(3), occurrence);
  return { 1: id, 3: idOn(3), 4: idOn(4) };
}

const GUESTS = { attendees: [{ email: BOB }] };

/** Previews and writes; returns the preview. */
async function written(tool: string, input: object): Promise<string> {
  const preview = await agent.call(`preview_${tool}`, { ...place, ...input });
  expect(preview, preview.text).toMatchObject({ isError: false });
  const done = await agent.call(tool, { ...place, ...input, previewToken: tokenOf(preview) });
  expect(done, done.text).toMatchObject({ isError: false });
  return preview.text;
}

it.each([
  ['cancel_event', {}, GUESTS, { attendees: [] }, 3],
  ['change_event', { start: '2027-03-02T15:00' }, {}, GUESTS, 1],
  ['change_event', { location: 'Room 9' }, GUESTS, { attendees: [] }, 3],
] as const)('a preview of %s of all says that people of the series and of its occurrences get mail', async (...given) => {
  const [tool, change, series, occurrence, day] = given;
  const ids = await seriesWith(series, occurrence);
  const before = mails().length;
  const preview = await written(tool, { eventId: ids[day], scope: 'all', ...change });
  expect(
    mails()
      .slice(before)
      .map(({ to }) => to),
  ).toContain(BOB);
  expect(preview).toMatch(/^Mail: the provider tells .*"bob@outlook\.example"/m);
});

it('a preview of following names people of the later occurrences, not those of earlier ones alone', async () => {
  const ids = await seriesWith({}, GUESTS);
  const mailOf = async (day: number) =>
    (await agent.call('preview_cancel_event', { ...place, eventId: ids[day], scope: 'following' })).text;
  expect(await mailOf(3)).toContain(BOB);
  expect(await mailOf(4)).toContain('Mail: none. The event has no other attendees.');
});

it('a preview of more than one occurrence names the series, whatever the occurrence is called', async () => {
  const ids = await seriesWith({}, { title: 'Special' });
  const preview = async (tool: string, input: object) =>
    (await agent.call(`preview_${tool}`, { ...place, eventId: ids[3], ...input })).text;
  expect(await preview('cancel_event', { scope: 'this' })).toContain('Cancel "Special".');
  for (const scope of ['following', 'all']) {
    expect(await preview('cancel_event', { scope })).toContain('Cancel "Series".');
    expect(await preview('change_event', { scope, location: 'Room' })).toContain('Change "Series".');
  }
});

it('a token expires when an occurrence gets another guest', async () => {
  const ids = await seriesWith({}, { title: 'Special' });
  const input = { ...place, eventId: ids[1], scope: 'all' };
  const previewToken = tokenOf(await agent.call('preview_cancel_event', input));
  const caller = { applicationId: world.applicationId };
  await world.engine.events.update(caller, place.accountId, place.calendarId, ids[3] ?? '', GUESTS);
  expect(await agent.call('cancel_event', { ...input, previewToken })).toMatchObject({ isError: true });
});

it('a preview does not say that there is no mail when the series cannot be read', async () => {
  const ids = await seriesWith({}, { title: 'Special' });
  const { engine, clock } = world;
  const get: typeof engine.events.get = async (caller, accountId, calendarId, eventId, query) => {
    if (eventId === ids[1]) throw new KalendsError('NotFound', 'There is no such event.');
    return await engine.events.get(caller, accountId, calendarId, eventId, query);
  };
  const blind = await world.connect(createMcpHandler({ ...engine, events: { ...engine.events, get } }, { clock }));
  const { text } = await blind.call('preview_cancel_event', { ...place, eventId: ids[3], scope: 'all' });
  expect(text).toContain(
    'Mail: the provider may tell attendees that it is cancelled; who they are cannot be read here.',
  );
});

it.each([
  ['all', 1, { start: '2027-03-02T15:00', end: '2027-03-02T16:00' }],
  ['following', 3, { location: 'Room 9' }],
] as const)('mail that %s would send to guests of an occurrence alone cannot be withheld', async (scope, day, change) => {
  const ids = await seriesWith({}, GUESTS);
  const eventId = ids[day] ?? '';
  const before = mails().length;
  const at = (dateTime: string) => ({ dateTime: `${dateTime}:00`, timeZone: 'Europe/London' });
  const body = 'start' in change ? { start: at(change.start), end: at(change.end) } : change;
  const { events } = world.engine;
  const caller = { applicationId: world.applicationId };
  const write = events.update(caller, place.accountId, place.calendarId, eventId, body, {
    scope,
    notifyAttendees: 'none',
  });
  await expect(write).rejects.toMatchObject({ code: 'UnsupportedByProvider', details: [{ path: 'notifyAttendees' }] });
  expect(mails().slice(before)).toEqual([]);
  const preview = { ...place, eventId, scope, ...change, notifyAttendees: 'none' };
  expect((await agent.call('preview_change_event', preview)).text).toContain('UnsupportedByProvider');
  await events.update(caller, place.accountId, place.calendarId, eventId, body, { scope });
  expect(mails().slice(before)).not.toEqual([]);
});
