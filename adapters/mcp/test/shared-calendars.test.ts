import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, PEOPLE } from './mcp-world.ts';

/** An account to which the calendar of a colleague is shared, whose id is the smaller one. */
let world: McpWorld;
let agent: McpClient;
let accountId: string;
const own = PEOPLE.google.email;
const shared = 'aa@gmail.example';
beforeAll(async () => {
  world = await createMcpWorld();
  const { google } = world.sandbox;
  google.addMailbox({ email: shared, name: 'A colleague', timeZone: 'America/New_York' });
  google.shareCalendar({ ownerEmail: shared, calendarId: shared, withEmail: own, role: 'writer' });
  // Longer than a list of calendars is used without a look at the provider.
  world.clock.advance(3_600_000);
  agent = await world.connect(world.handler());
  accountId = world.accounts.google;
  for (const [calendarId, title, start] of [
    [own, 'Own meeting', '2027-03-03T09:00:00'],
    [shared, 'Meeting of a colleague', '2027-03-02T09:00:00'],
  ] as const) {
    await world.engine.events.create({ applicationId: world.applicationId }, accountId, calendarId, {
      title,
      start: { dateTime: start, timeZone: 'Europe/London' },
    });
  }
});
afterAll(() => world.close());

const ask = async (name: string, day: string, more: object = {}) =>
  (await agent.call(name, { accountId, from: day, to: day, ...more })).text;

it('are left out of busy times, unless they are named', async () => {
  expect(await ask('get_free_busy', '2027-03-02')).toContain('the whole window is free');
  expect(await ask('get_free_busy', '2027-03-03')).toContain(
    '- Wednesday 3 March 2027, 09:00–10:00 (Europe/London, UTC+00:00)',
  );
  const named = await ask('get_free_busy', '2027-03-02', { calendarIds: [own, shared] });
  expect(named).toContain('- Tuesday 2 March 2027, 09:00–10:00 (Europe/London, UTC+00:00)');
});

it('do not decide in which zone days and times are, unless one is named alone', async () => {
  for (const name of ['list_events', 'get_free_busy']) {
    expect(await ask(name, '2027-03-03')).toContain('From Wednesday 3 March 2027, 00:00 (Europe/London, UTC+00:00)');
    const alone = await ask(name, '2027-03-03', { calendarIds: [shared] });
    expect(alone).toContain('From Wednesday 3 March 2027, 00:00 (America/New_York, UTC-05:00)');
    for (const calendarIds of [
      [shared, own],
      [own, shared],
    ]) {
      const both = await ask(name, '2027-03-03', { calendarIds });
      expect(both).toContain('From Wednesday 3 March 2027, 00:00 (Europe/London, UTC+00:00)');
    }
  }
});

it('do not limit how many calendars of its own an account has busy times in', { timeout: 60_000 }, async () => {
  const { email } = PEOPLE.microsoft;
  for (let number = 1; number <= 50; number += 1) {
    const source = { name: `Calendar ${number}`, timeZone: 'Europe/London', events: [], unsupported: [] };
    world.sandbox.microsoft.importCalendar(email, source);
  }
  world.clock.advance(3_600_000);
  const day = '2027-03-02';
  let text: string;
  do {
    ({ text } = await agent.call('get_free_busy', { accountId: world.accounts.microsoft, from: day, to: day }));
  } while (text.includes('CalendarSyncing'));
  expect(text).toMatch(/, 5\d calendars\. Busy:\nNothing: the whole window is free\./);
});

it('an account with more than 50 calendars of its own has those named that are held, or that meetings are sought in', async () => {
  const participants = [{ accountId: world.accounts.microsoft }];
  const held = await agent.call('hold_slot', { participants, start: '2027-03-02T09:00' });
  expect(held).toMatchObject({
    isError: true,
    text: expect.stringContaining('an account has more than 50 calendars of its own. Name its calendarIds.'),
  });
  const day = '2027-03-02';
  const sought = await agent.call('find_meeting_times', { participants, durationMinutes: 30, from: day, to: day });
  expect(sought).toMatchObject({
    isError: true,
    text: expect.stringContaining('the account has more than 50 calendars of its own'),
  });
});
