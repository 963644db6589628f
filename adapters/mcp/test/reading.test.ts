import { afterAll, beforeAll, expect, it } from 'vitest';
import { estimatedTokens } from '../src/words/paged-answer.ts';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE } from './mcp-world.ts';

let world: McpWorld;
let agent: McpClient;
let accountId: string;
const calendarId = PEOPLE.google.email;
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  accountId = world.accounts.google;
  const create = (body: object) =>
    world.engine.events.create({ applicationId: world.applicationId }, accountId, calendarId, {
      title: 'X',
      start: { date: '2027-03-01' },
      ...body,
    });
  await create({ title: 'Holiday', start: { date: '2027-03-01' }, end: { date: '2027-03-06' } });
  await create({
    title: 'Night shift',
    start: { dateTime: '2027-03-27T22:00:00', timeZone: 'Europe/London' },
    end: { dateTime: '2027-03-28T06:00:00', timeZone: 'Europe/London' },
  });
  const series = await create({
    title: 'Stand-up',
    start: { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/London' },
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=40'],
    location: 'Room 1',
    description: 'd'.repeat(5_000),
  });
  const caller = { applicationId: world.applicationId };
  await world.engine.events.update(caller, accountId, calendarId, `${series.id}_20270309T090000Z`, {
    start: { dateTime: '2027-03-10T11:00:00', timeZone: 'Europe/London' },
    end: { dateTime: '2027-03-10T12:00:00', timeZone: 'Europe/London' },
  });
  await world.engine.events.delete(caller, accountId, calendarId, `${series.id}_20270316T090000Z`);
});
afterAll(() => world.close());

const events = async (from: string, to: string, more: object = {}) =>
  (await agent.call('list_events', { accountId, from, to, ...more })).text;

it('lists what has any part in the window, with weekdays, zones and offsets', async () => {
  expect(await events('2027-03-02', '2027-03-02')).toContain(
    'when: Monday 1 March 2027 to Friday 5 March 2027, all day (5 days, the last one included)',
  );
  expect(await events('2027-03-28', '2027-03-28')).toContain(
    'when: Saturday 27 March 2027, 22:00 to Sunday 28 March 2027, 06:00 (Europe/London, UTC+00:00)',
  );
  expect(await events('2027-03-28T06:00', '2027-03-28T09:00')).toContain('Nothing is there.');
  expect(await events('2027-03-06', '2027-03-06')).toContain('Nothing is there.');
  expect(await events('2027-03-30', '2027-03-30', { timeZone: 'America/New_York' })).toContain(
    'when: Tuesday 30 March 2027, 04:00–05:00 (America/New_York, UTC-04:00)',
  );
});

it('lists the occurrences of a series, moved and cancelled ones too', async () => {
  const found = await agent.call('search_events', { accountId, title: 'STAND' });
  expect(found.text).toContain('repeats: every week on Tuesday, 40 times (this is the series)');
  const seriesId = idOf(found.text, 'Stand-up', 'eventId');
  const input = { accountId, calendarId, seriesId, from: '2027-03-02', to: '2027-03-23' };
  const { text } = await agent.call('list_occurrences', input);
  expect([...text.matchAll(/^ {2}(when|moved here from): .*$/gm)].map(([line]) => line)).toEqual([
    '  when: Tuesday 2 March 2027, 09:00–10:00 (Europe/London, UTC+00:00)',
    '  when: Wednesday 10 March 2027, 11:00–12:00 (Europe/London, UTC+00:00)',
    '  moved here from: Tuesday 9 March 2027, 09:00 (Europe/London, UTC+00:00)',
    '  when: Tuesday 16 March 2027, 09:00–10:00 (Europe/London, UTC+00:00). CANCELLED',
    '  when: Tuesday 23 March 2027, 09:00–10:00 (Europe/London, UTC+00:00)',
  ]);
});

it('reads an event with the question of scope, and cuts a long description with a word about it', async () => {
  const eventId = idOf(await events('2027-03-23', '2027-03-23'), 'Stand-up', 'eventId');
  const { text } = await agent.call('get_event', { accountId, calendarId, eventId });
  expect(text).toContain('this: only Tuesday 23 March 2027, 09:00–10:00 (Europe/London, UTC+00:00); the series stays');
  expect(text).toContain('dddd" and 3500 more characters');
  expect(text).toContain('place: "Room 1"');
});

it('reads busy times over all calendars', async () => {
  const { text } = await agent.call('get_free_busy', { accountId, from: '2027-03-22', to: '2027-03-28' });
  expect(text).toContain('- Tuesday 23 March 2027, 09:00–10:00 (Europe/London, UTC+00:00)');
  expect(text).toContain('- Saturday 27 March 2027, 22:00 to Sunday 28 March 2027, 06:00');
  const free = await agent.call('get_free_busy', { accountId, from: '2027-03-24', to: '2027-03-24' });
  expect(free.text).toContain('the whole window is free');
});

it('keeps within its budget, and its pages have every event once', async () => {
  const whole = await world.connect(world.handler({ tokenBudget: 100_000 }));
  const input = { accountId, from: '2027-03-01', to: '2027-12-31' };
  const ids = (text: string) => [...text.matchAll(/^ {2}eventId: (.*)$/gm)].map(([, id]) => id);
  const all = ids((await whole.call('list_events', input)).text);
  expect(all).toHaveLength(41);
  for (const tokenBudget of [200, 700, 2_000]) {
    const small = await world.connect(world.handler({ tokenBudget }));
    const paged: unknown[] = [];
    let pageToken: string | undefined;
    do {
      const { text } = await small.call('list_events', { ...input, ...(pageToken && { pageToken }) });
      if (ids(text).length > 1) expect(estimatedTokens(text)).toBeLessThan(tokenBudget * 1.2);
      paged.push(...ids(text));
      const literal = /repeat the call with pageToken (".*")\.$/m.exec(text)?.[1];
      pageToken = literal === undefined ? undefined : JSON.parse(literal);
    } while (pageToken !== undefined);
    expect(paged).toEqual(all);
  }
});

it.each([900, 2_000, 4_000])('reads an event with long texts and many people within %i tokens', async (tokenBudget) => {
  const long = '\u65e5\u672c'.repeat(400);
  const { id } = await world.engine.events.create({ applicationId: world.applicationId }, accountId, calendarId, {
    title: long,
    description: `${long}\u202e${'\u0007'.repeat(2_000)}`,
    location: long,
    start: { dateTime: '2027-12-24T09:00:00', timeZone: 'Europe/London' },
    attendees: Array.from({ length: 60 }, (_, index) => ({ email: `p${index}@x.example`, name: long.slice(0, 254) })),
  });
  const small = await world.connect(world.handler({ tokenBudget }));
  const { text } = await small.call('get_event', { accountId, calendarId, eventId: id });
  expect(estimatedTokens(text)).toBeLessThanOrEqual(tokenBudget);
  expect(text).toContain(`eventId: "${id}"`);
  expect(text).toMatch(/attendees \(60\):/);
  expect(text).toMatch(/and \d+ more$/m);
  expect(text).toContain('blocks time: yes');
  const preview = await small.call('preview_cancel_event', { accountId, calendarId, eventId: id });
  expect(estimatedTokens(preview.text)).toBeLessThanOrEqual(4_000);
  expect(preview.text).toContain('previewToken:');
});

it('counts the events of the window alone against the most that it reads, not those around it', {
  timeout: 60_000,
}, async () => {
  for (let number = 1; number <= 90; number += 1) {
    const hour = number <= 2 ? '10' : '12';
    await world.engine.events.create({ applicationId: world.applicationId }, accountId, calendarId, {
      title: 'Every day',
      start: { dateTime: `2028-01-01T${hour}:00:00`, timeZone: 'Europe/London' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=120'],
    });
  }
  expect((await events('2028-02-10T10:00', '2028-02-10T11:00')).match(/^- "Every day"$/gm)).toHaveLength(2);
  expect(await events('2028-01-01', '2028-03-31')).toBe(
    'The window has more than 5000 events. Choose a shorter one, or one calendar.',
  );
});

it('lists each event once, however often its calendar is named', async () => {
  const text = await events('2027-03-02', '2027-03-02', { calendarIds: [calendarId, calendarId], title: 'Stand-up' });
  expect(text.match(/^- "Stand-up"/gm)).toHaveLength(1);
});

it('says what to do next about a window, a token or an id that cannot be used', async () => {
  expect(await events('2027-03-02', '2027-03-01')).toContain('to: must be after from.');
  expect(await events('2027-03-02', '2029-03-01')).toContain('to: must be at most 366 days after from.');
  expect(await events('2027-03-01', '2027-03-31', { pageToken: '%' })).toContain('without it for the first page');
  expect(await events('2027-03-02', '2027-03-02', { calendarIds: ['x'] })).toContain('Call list_calendars.');
  const { text } = await agent.call('get_event', { accountId, calendarId, eventId: 'x' });
  expect(text).toContain('Ids must be copied exactly.');
});
