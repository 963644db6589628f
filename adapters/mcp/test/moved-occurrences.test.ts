import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';
import { rawEvents } from './raw-events.ts';

let world: McpWorld;
let agent: McpClient;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  place = { accountId: world.accounts.google, calendarId: PEOPLE.google.email };
});
afterAll(() => world.close());

async function written(tool: string, input: object): Promise<string> {
  const preview = await agent.call(`preview_${tool}`, { ...place, ...input });
  expect(preview, preview.text).toMatchObject({ isError: false });
  const done = await agent.call(tool, { ...place, ...input, previewToken: tokenOf(preview) });
  expect(done, done.text).toMatchObject({ isError: false });
  return preview.text;
}

/** Returns the clock times of each day's event, such as `09:00–10:00`. */
async function clocks(title: string): Promise<readonly string[]> {
  const events = await rawEvents(world, 'google', title, 'Europe/London', { from: '2027-03-01', to: '2027-03-31' });
  return events.map(({ start, minutes }) => `${start.slice(8)} ${minutes}`);
}

const DAILY = { start: '2027-03-01T09:00', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
const FEWER = ['RRULE:FREQ=DAILY;COUNT=3'];

it.each([
  ['all', { recurrence: FEWER }, ['at 09:00'], ['01T09:00 60', '02T09:00 60', '03T11:00 60']],
  [
    'following',
    { recurrence: FEWER },
    ['at 09:00', 'Wednesday 3 March 2027, 09:00'],
    ['01T09:00 60', '02T09:00 60', '03T11:00 60', '04T09:00 60', '05T09:00 60'],
  ],
  [
    'all',
    { end: '2027-03-03T14:00' },
    [
      'when: Wednesday 3 March 2027, 09:00–10:00 (Europe/London, UTC+00:00) becomes Wednesday 3 March 2027, 09:00–14:00',
    ],
    ['01T09:00 300', '02T09:00 300', '03T09:00 300', '04T09:00 300'],
  ],
  [
    'following',
    { start: '2027-03-03T12:00' },
    ['when: Wednesday 3 March 2027, 09:00–10:00', 'becomes Wednesday 3 March 2027, 12:00–13:00', 'at 12:00'],
    ['01T09:00 60', '02T09:00 60', '03T12:00 60', '04T12:00 60'],
  ],
] as const)('an occurrence that was moved: a change of %s is foretold as it is written: %j', async (...given) => {
  const [scope, change, words, after] = given;
  const title = `${scope} ${JSON.stringify(change)}`;
  await written('create_event', { ...DAILY, title });
  const { accountId } = place;
  const list = await agent.call('list_events', { accountId, from: '2027-03-03', to: '2027-03-03', title });
  const eventId = idOf(list.text, title, 'eventId');
  await written('change_event', { eventId, scope: 'this', title: 'Elsewhere', start: '2027-03-03T11:00' });
  const preview = await written('change_event', { eventId, scope, title, ...change });
  for (const part of words) expect(preview).toContain(part);
  expect(await clocks(title)).toEqual(after);
});

it('a change of a cancelled occurrence says that it brings it back', async () => {
  const title = 'Cancelled';
  await written('create_event', { ...DAILY, title });
  const { accountId } = place;
  const list = await agent.call('list_events', { accountId, from: '2027-03-03', to: '2027-03-03', title });
  const eventId = idOf(list.text, title, 'eventId');
  await written('cancel_event', { eventId, scope: 'this' });
  expect(await clocks(title)).toHaveLength(3);
  const preview = await written('change_event', { eventId, scope: 'this', location: 'Room 4' });
  expect(preview).toContain('is cancelled: this change brings it back');
  expect(await clocks(title)).toEqual(['01T09:00 60', '02T09:00 60', '03T09:00 60', '04T09:00 60']);
});

it('a weekly series is moved to another day by its own id', async () => {
  const title = 'Weekly';
  const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=3'];
  await written('create_event', { title, start: '2027-03-02T09:00', recurrence });
  const { accountId } = place;
  const list = await agent.call('list_events', { accountId, from: '2027-03-02', to: '2027-03-02', title });
  const eventId = idOf(list.text, title, 'seriesId');
  const preview = await written('change_event', { eventId, scope: 'all', start: '2027-03-03T10:00' });
  expect(preview).toContain('every week on Wednesday');
  expect(await clocks(title)).toEqual(['03T10:00 60', '10T10:00 60', '17T10:00 60']);

  await written('change_event', { eventId, scope: 'all', start: '2027-03-03T11:00' });
  expect(await clocks(title)).toEqual(['03T11:00 60', '10T11:00 60', '17T11:00 60']);
  const off = { ...place, eventId, scope: 'all', recurrence };
  expect(await agent.call('preview_change_event', off)).toMatchObject({
    isError: true,
    text: expect.stringContaining('start: 2027-03-03T11:00:00 is not produced by the rule'),
  });
});
