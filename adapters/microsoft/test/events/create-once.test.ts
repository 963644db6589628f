import type { CalendarRef, NewEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, createHarness, type Harness, nextRequestId, onlyEvent } from '../harness.ts';

/* One request makes one event, whatever becomes of its answers, its transaction id and the processes that send it. */

const DAY_MS = 86_400_000;

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const input: NewEvent = {
  title: 'Once',
  start: { dateTime: '2026-02-02T09:00:00-05:00', timeZone: 'America/New_York' },
  end: { dateTime: '2026-02-02T10:00:00-05:00', timeZone: 'America/New_York' },
};
const create = async (requestId: string, more: Partial<NewEvent> = {}) =>
  onlyEvent(await harness.provider.events.create(session, calendar, { ...input, ...more }, { requestId }));
const made = async (): Promise<string[]> => {
  const { value } = await harness.graph(ADA, 'GET', 'me/events');
  return value.map(({ id }: { id: string }) => id);
};
const posts = () =>
  harness.sandbox.requests.list().filter(({ method, path }) => method === 'POST' && /events$/.test(path));
const lose = (kind: 'answer-after' | 'answer', times: number) =>
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    method: 'POST',
    path: '/v1.0/me/calendars/[^/]+/events',
    kind,
    times,
    status: 503,
    body: '{"error":{"code":"ServiceUnavailable"}}',
  });

test('a server that has forgotten the transaction id is asked for the request before anything is sent', async () => {
  harness.control('setTransactionLife', { ms: 0 });
  const requestId = nextRequestId();
  const first = await create(requestId);
  harness.sandbox.clock.advance(30 * DAY_MS);
  const again = await create(requestId, { title: 'Again' });
  expect(again).toEqual(first);
  expect(await made()).toEqual([first.providerEventId]);
  expect(posts()).toHaveLength(1);
});

test('an answer that is lost while the transaction id is forgotten at once makes one event', async () => {
  harness.control('setTransactionLife', { ms: 0 });
  lose('answer-after', 1);
  const event = await create(nextRequestId());
  expect(await made()).toEqual([event.providerEventId]);
  expect(posts()).toHaveLength(1);
});

test('answers that are lost every time leave one event, which the next attempt finds', async () => {
  harness.control('setTransactionLife', { ms: 0 });
  const requestId = nextRequestId();
  lose('answer-after', 9);
  const event = await create(requestId);
  expect(await made()).toEqual([event.providerEventId]);
  harness.sandbox.faults.clear();
  expect(await create(requestId)).toEqual(event);
});

test('a request that never arrives is sent again, and given up after so many times', async () => {
  lose('answer', 2);
  const event = await create(nextRequestId());
  expect(await made()).toEqual([event.providerEventId]);
  expect(harness.waits.length).toBeGreaterThanOrEqual(2);
  lose('answer', 99);
  const requestId = nextRequestId();
  await expect(create(requestId)).rejects.toMatchObject({ reason: expect.stringMatching(/unavailable|timeout/) });
  expect(posts()).toHaveLength(1 + 2 + 4);
  harness.sandbox.faults.clear();
  await create(requestId);
  expect(await made()).toHaveLength(2);
});

test('a search that the mailbox does not take leaves it to the transaction id', async () => {
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    method: 'GET',
    path: '/v1.0/me/calendars/[^/]+/events',
    kind: 'answer',
    status: 400,
    body: '{"error":{"code":"ErrorInvalidUrlQueryFilter"}}',
  });
  const requestId = nextRequestId();
  const first = await create(requestId);
  expect((await create(requestId)).providerEventId).toBe(first.providerEventId);
});

test('many processes with one request make one event', async () => {
  const requestId = nextRequestId();
  const providers = Array.from({ length: 8 }, () => harness.providerWith({}));
  const answers = await Promise.all(
    providers.map((provider) => provider.events.create(session, calendar, input, { requestId })),
  );
  expect(new Set(answers.map((changes) => onlyEvent(changes).providerEventId)).size).toBe(1);
  expect(await made()).toHaveLength(1);
});

test('a series whose deletions were cut short has them after the next attempt', async () => {
  const requestId = nextRequestId();
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;TZID=America/New_York:20260203T090000,20260204T090000'];
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    method: 'DELETE',
    path: '/v1.0/.*',
    kind: 'answer',
    status: 403,
    body: '{"error":{"code":"ErrorAccessDenied"}}',
    skip: 1,
    times: 1,
  });
  await expect(create(requestId, { recurrence })).rejects.toMatchObject({ reason: 'unavailable' });
  expect((await create(requestId, { recurrence })).content?.recurrence).toEqual(recurrence);
  expect(await made()).toHaveLength(1);
});
