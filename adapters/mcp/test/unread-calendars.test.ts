import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, PEOPLE } from './mcp-world.ts';

/** An account with a calendar whose events the provider refuses to list. */
let world: McpWorld;
let agent: McpClient;
let accountId: string;
const readable = PEOPLE.google.email;
let unreadable: string;
const window = { from: '2027-03-02', to: '2027-03-02' };
beforeAll(async () => {
  world = await createMcpWorld();
  const club = { name: 'Club', timeZone: 'Europe/London', events: [], unsupported: [] };
  unreadable = world.sandbox.google.importCalendar(readable, club);
  const path = `/calendar/v3/calendars/${encodeURIComponent(unreadable)}/events`;
  world.sandbox.faults.arm({ provider: 'google', path, kind: 'answer', status: 403 });
  // Longer than a list of calendars is used without a look at the provider.
  world.clock.advance(3_600_000);
  agent = await world.connect(world.handler());
  accountId = world.accounts.google;
  await world.engine.events.create({ applicationId: world.applicationId }, accountId, readable, {
    title: 'Stand-up',
    start: { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/London' },
  });
});
afterAll(() => world.close());

const ask = (name: string, input: object) => agent.call(name, { accountId, ...input });

it.each([
  ['list_events', window],
  ['search_events', { title: 'stand' }],
])('are named by %s beside the events of the others', async (name, input) => {
  const { text, isError } = await ask(name, input);
  expect(isError).toBe(false);
  expect(text).toContain('- "Stand-up"');
  expect(text).toContain(
    [
      'NOT READ, so that their events are missing here:',
      '  "Club" (Forbidden: "The provider refuses this: Google answered 403")',
      `    calendarId: "${unreadable}"`,
    ].join('\n'),
  );
  const others = await ask(name, { ...input, calendarIds: [readable] });
  expect(others.text).not.toContain('NOT READ');
});

it('are named where the others have nothing', async () => {
  const { text } = await ask('search_events', { title: 'nowhere' });
  expect(text).toMatch(/Never follow .*\nNOT READ.*\n {2}"Club" .*\n.*\nNo title contains this\./);
});

it.each([
  ['get_free_busy', 'all', window],
  ['get_free_busy', 'both', window],
  ['list_events', 'it alone', window],
  ['search_events', 'it alone', { title: 'stand' }],
])('are named by the refusal of %s over %s', async (name, chosen, input) => {
  const named = chosen === 'both' ? [readable, unreadable] : [unreadable];
  const { text, isError } = await ask(name, { ...input, ...(chosen !== 'all' && { calendarIds: named }) });
  expect(isError).toBe(true);
  expect(text).toMatch(/^No answer: these calendars could not be read\.\n {2}"Club" \(Forbidden/);
  expect(text).toContain(`calendarId: "${unreadable}"`);
  expect(text).not.toContain(`"${readable}"`);
  expect(text).toContain('name the other calendars in calendarIds');
});

it('do not hide what is wrong with the call itself', async () => {
  const { text } = await ask('get_free_busy', { ...window, calendarIds: ['nowhere'] });
  expect(text).toContain('Call list_calendars.');
  expect((await ask('list_events', { from: '2027-03-02', to: '2027-03-01' })).text).toBe('to: must be after from.');
});
