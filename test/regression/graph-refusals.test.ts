import { afterEach, expect, it } from 'vitest';
import { createWorld, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it('answers 422 naming start when Graph cannot move an occurrence past its neighbour', async () => {
  world = await createWorld();
  const { accountId, calendarId } = await world.connect('microsoft');
  const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
  const created = await world.call('POST', path, {
    body: { title: 'Daily', start: { dateTime: '2026-03-02T09:00:00Z' }, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] },
  });
  const occurrence = `${path}/${encodeURIComponent(`${created.body.id}_20260303T090000Z`)}`;
  const body = { start: { dateTime: '2026-03-05T09:00:00Z' }, end: { dateTime: '2026-03-05T10:00:00Z' } };
  const refused = await world.call('PUT', occurrence, { body });
  expect([refused.status, refused.body.code, refused.body.details?.[0]?.path]).toEqual([
    422,
    'UnsupportedByProvider',
    'start',
  ]);
  const unchanged = await world.call('GET', occurrence);
  expect(unchanged.body.start.dateTime).toBe('2026-03-03T10:00:00+01:00');
});

it('polls for a calendar whose notification address Graph cannot reach', async () => {
  world = await createWorld({ publicUrl: 'http://nobody.test/api' });
  const { accountId, calendarId } = await world.connect('microsoft');
  const subscribed = await world.call('POST', `/v1/calendarSubscriptions/${accountId}`, {
    body: { calendarId, webhookUrl: 'http://127.0.0.1:4999/hooks' },
  });
  expect(subscribed.status).toBe(201);
  const list = await world.call('GET', `/v1/calendarSubscriptions/${accountId}`);
  expect(list.body.data[0].subscriptionId).toMatch(/^poll_/);
  expect(list.body.data[0].resourceId).toBe(calendarId);
});
