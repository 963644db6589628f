import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, collect, createHarness, type Harness } from '../../adapters/microsoft/test/harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

test('the feed goes on where recent changes cannot be searched', async () => {
  const session = await harness.session(ADA);
  const calendar = await harness.primary(ADA);
  const pull = (token: string | null) => collect(harness.provider.events.pull(session, calendar, token));
  const { token } = await pull(null);
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    path: '/v1.0/me/calendars/[^/]+/events',
    kind: 'answer',
    status: 400,
    body: { error: { code: 'ErrorInvalidUrlQueryFilter', message: '' } },
    times: 1,
  });
  await harness.graph(ADA, 'POST', 'me/events', {
    subject: 'One',
    start: { dateTime: '2026-01-10T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-01-10T10:00:00', timeZone: 'UTC' },
  });
  const { changes, token: next } = await pull(token);
  expect(changes.map(({ kind }) => kind)).toEqual(['event']);
  const linkOf = (text: string) => JSON.parse(text).feed.link;
  expect(linkOf(next)).not.toBe(linkOf(token));
});
