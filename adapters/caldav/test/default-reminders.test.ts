import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type Harness, startHarness } from './harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

it.each([
  [null],
  [{}],
  [{ overrides: [] }],
])('reminders %j are the default ones, as at other providers', async (reminders) => {
  const session = await harness.sessionOf(ADA);
  const calendar = await harness.primaryOf(ADA);
  const start = { dateTime: '2026-03-02T09:00:00Z', timeZone: 'UTC' };
  const end = { dateTime: '2026-03-02T10:00:00Z', timeZone: 'UTC' };
  const input = { title: 'x', start, end, reminders };
  const requestId = JSON.stringify(reminders);
  const [made] = await harness.provider.events.create(session, calendar, input, { requestId });
  expect(made).toMatchObject({ event: { content: { reminders: { useDefault: true } } } });
});
