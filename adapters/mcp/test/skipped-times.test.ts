import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

/* London's clocks skip 01:00 to 02:00 on 28 March 2027, and show 01:00 to 02:00 twice on 31 October. */

let world: McpWorld;
let agent: McpClient;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  place = { accountId: world.accounts.google, calendarId: PEOPLE.google.email };
});
afterAll(() => world.close());

/** Previews and writes; returns the id, and the times that the engine has then. Both texts must tell of them. */
async function written(tool: string, input: object, words: string) {
  const preview = await agent.call(`preview_${tool}`, { ...place, ...input });
  expect(preview.text).toContain(words);
  const done = await agent.call(tool, { ...place, ...input, previewToken: tokenOf(preview) });
  expect(done.text).toContain(words);
  const eventId = idOf(done.text, 'Night', 'eventId');
  const caller = { applicationId: world.applicationId };
  const { start, end } = await world.engine.events.get(caller, place.accountId, place.calendarId, eventId);
  return { eventId, start: start.dateTime, end: end.dateTime };
}

const CASES = [
  ['2027-03-28T01:30', '02:30–03:30', '2027-03-28T02:30:00+01:00', '2027-03-28T03:30:00+01:00'],
  ['2027-03-28T00:30', '00:30–02:30', '2027-03-28T00:30:00+00:00', '2027-03-28T02:30:00+01:00'],
  ['2027-10-31T00:45', '00:45–01:45', '2027-10-31T00:45:00+01:00', '2027-10-31T01:45:00+01:00'],
] as const;

it.each(CASES)('an event created at %s is an hour long', async (at, words, start, end) => {
  expect(await written('create_event', { title: 'Night', start: at }, words)).toMatchObject({ start, end });
});

it.each(CASES)('an event moved to %s keeps its length', async (at, words, start, end) => {
  const { eventId } = await written('create_event', { title: 'Night', start: '2027-03-01T09:00' }, '09:00–10:00');
  expect(await written('change_event', { eventId, start: at }, words)).toMatchObject({ start, end });
});

it('a Windows name of a zone is taken for the zone', async () => {
  const input = { title: 'Night', start: '2027-03-02T12:00', timeZone: 'Tokyo Standard Time' };
  const start = '2027-03-02T12:00:00+09:00';
  expect(await written('create_event', input, '12:00–13:00 (Asia/Tokyo')).toMatchObject({ start });
});

it('an end is refused that comes before the start only because the clocks skip it', async () => {
  const input = { ...place, title: 'Night', start: '2027-03-28T01:30', end: '2027-03-28T02:30' };
  const answer = await agent.call('preview_create_event', input);
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('which the clocks skip') });
  const empty = { title: 'Night', start: '2027-03-02T09:00', end: '2027-03-02T09:00' };
  await written('create_event', empty, '09:00–09:00');
});

it('a change of the end leaves a start in the second pass of a repeated hour', async () => {
  const caller = { applicationId: world.applicationId };
  const start = { dateTime: '2027-10-31T01:30:00+00:00', timeZone: 'Europe/London' };
  const { id } = await world.engine.events.create(caller, place.accountId, place.calendarId, { title: 'Night', start });
  const after = await written('change_event', { eventId: id, end: '2027-10-31T04:00' }, '01:30–04:00');
  expect(after).toMatchObject({ start: start.dateTime, end: '2027-10-31T04:00:00+00:00' });
});
