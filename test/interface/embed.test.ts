import { expect, it } from 'vitest';
import { createCalendarEngine, titlesOfWeek } from '../../docs/examples/embed.js';
import { createWorld } from './world.ts';

it('embed.js makes an engine with one application, once', async () => {
  const { engine, caller } = await createCalendarEngine({
    database: ':memory:',
    secret: Buffer.alloc(32, 1).toString('base64'),
    publicUrl: 'https://calendar.example.com',
  });
  expect(await engine.accounts.list(caller, {})).toEqual({ data: [], nextPageToken: null });
  await engine.stop();
});

it('embed.js reads the titles of a week', async () => {
  const world = await createWorld();
  const caller = { applicationId: world.applicationId };
  const { accountId, calendarId } = await world.connect('google');
  await world.engine.events.create(caller, accountId, calendarId, {
    title: 'Standup',
    start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
  });
  const titles = await titlesOfWeek(
    { engine: world.engine, caller },
    accountId,
    calendarId,
    '2026-03-02T00:00:00Z',
    '2026-03-09T00:00:00Z',
  );
  expect(titles).toEqual(['Standup', 'Standup', 'Standup']);
  await world.close();
});
