import type { CalendarRef, EventTarget, NewEvent, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, BEN, collect, createHarness, type Harness, nextRequestId, onlyEvent } from '../harness.ts';

/* Each write is carried out by the server and its answer lost: once done, it must count as done, and be done once. */

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
const whole = (current: ProviderEvent): EventTarget => ({
  kind: 'event',
  providerEventId: current.providerEventId,
  current,
});
const create = async (more: Partial<NewEvent> = {}) =>
  onlyEvent(
    await harness.provider.events.create(session, calendar, { ...input, ...more }, { requestId: nextRequestId() }),
  );
const lose = (method: string, path: string, kind: 'answer-after' | 'reset' = 'answer-after') =>
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    method,
    path: `/v1.0/${path}`,
    kind,
    times: 1,
    ...(kind === 'reset' ? {} : { status: 504, body: '<html>Gateway Timeout</html>' }),
  });
const sent = (method: string, path: RegExp) =>
  harness.sandbox.requests.list().filter((each) => each.method === method && path.test(each.path));

test.each(['answer-after', 'reset'] as const)('a create that is lost (%s) makes one event', async (kind) => {
  lose('POST', 'me/calendars/[^/]+/events', kind);
  const event = await create();
  const { value } = await harness.graph(ADA, 'GET', 'me/events');
  expect(value.map(({ id }: { id: string }) => id)).toEqual([event.providerEventId]);
});

test('an update is laid over what is there by then', async () => {
  const event = await create({ privateExtendedProperties: { a: '1' } });
  lose('PATCH', 'me/calendars/[^/]+/events/[^/]+');
  const patch = { title: 'Twice', privateExtendedProperties: { b: '2' } };
  const after = onlyEvent(await harness.provider.events.update(session, calendar, whole(event), patch, {}));
  expect(after.content).toMatchObject({ title: 'Twice', privateExtendedProperties: { a: '1', b: '2' } });
});

test('an update under a tag of the caller is not repeated', async () => {
  const event = await create();
  lose('PATCH', 'me/calendars/[^/]+/events/[^/]+');
  const options = { ifMatch: event.providerTag ?? '' };
  await expect(
    harness.provider.events.update(session, calendar, whole(event), { title: 'Twice' }, options),
  ).rejects.toMatchObject({ reason: 'timeout' });
  expect(sent('PATCH', /events/)).toHaveLength(1);
});

test('a delete is repeated and finds nothing', async () => {
  const event = await create();
  lose('DELETE', 'me/calendars/[^/]+/events/[^/]+');
  expect(await harness.provider.events.delete(session, calendar, whole(event), {})).toEqual([
    { kind: 'deleted', providerEventId: event.providerEventId },
  ]);
});

test.each(['accepted', 'declined'] as const)('an answer (%s) is mailed once', async (response) => {
  await create({ attendees: [{ email: BEN }] });
  const bens = await harness.session(BEN);
  const bensCalendar = await harness.primary(BEN);
  const event = onlyEvent((await collect(harness.provider.events.pull(bens, bensCalendar, null))).changes);
  lose('POST', 'me/calendars/[^/]+/events/[^/]+/(accept|decline)');
  const after = onlyEvent(await harness.provider.events.respond(bens, bensCalendar, whole(event), response, {}));
  expect(after.content?.myResponseStatus).toBe(response);
  expect(sent('POST', /accept|decline/)).toHaveLength(1);
});

test('a calendar is found by its mark', async () => {
  lose('POST', 'me/calendars');
  const created = await harness.provider.calendars.create(session, { name: 'Once' });
  expect(created.name).toBe('Once');
  expect(sent('POST', /calendars$/)).toHaveLength(1);
});
