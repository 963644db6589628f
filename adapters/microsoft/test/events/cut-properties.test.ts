import type { CalendarRef, EventChange, NewEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, collect, createHarness, type Harness, nextRequestId, onlyEvent, onlySeries } from '../harness.ts';

/* Tables of Exchange hold the first 255 bytes of a value: a list that cuts what is recorded with an event is no news of it. */

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
  harness.control('setCutProperties', { enabled: true });
});
afterEach(() => harness.close());

const LONG = { note: 'ä'.repeat(400) };
const input: NewEvent = {
  title: 'Long',
  start: { dateTime: '2026-02-02T09:00:00-05:00', timeZone: 'America/New_York' },
  end: { dateTime: '2026-02-02T10:00:00-05:00', timeZone: 'America/New_York' },
  publicExtendedProperties: LONG,
  privateExtendedProperties: { key: 'value' },
};
const create = (more: Partial<NewEvent> = {}) =>
  harness.provider.events.create(session, calendar, { ...input, ...more }, { requestId: nextRequestId() });
const pull = async (): Promise<readonly EventChange[]> =>
  (await collect(harness.provider.events.pull(session, calendar, null))).changes;

/** Reads of single events since the log of requests was cleared. */
const reads = (): number =>
  harness.sandbox.requests
    .list()
    .filter(({ method, path }) => method === 'GET' && /\/events\/[^/?]+(?:\?|$)/.test(path)).length;

test('an event whose record is cut in a list is read by its id, once', async () => {
  const created = await create();
  await create({ title: 'Short', publicExtendedProperties: {} });
  harness.sandbox.requests.clear();
  const changes = await pull();
  expect(changes.filter((change) => change.kind === 'event' && change.event.content?.title === 'Long')).toEqual(
    created,
  );
  expect(reads()).toBe(1);
});

test('a value that is no JSON costs one read, and no other value', async () => {
  const { providerEventId } = onlyEvent(await create({ publicExtendedProperties: {} }));
  const id = 'String {5f1c1d2e-8a37-4c0b-9b6d-3e0f6f5a9c41} Name kalends.public';
  await harness.graph(ADA, 'PATCH', `me/events/${providerEventId}`, {
    singleValueExtendedProperties: [{ id, value: '{"note":"' }],
  });
  harness.sandbox.requests.clear();
  expect(onlyEvent(await pull()).content).toMatchObject({
    publicExtendedProperties: {},
    privateExtendedProperties: { key: 'value' },
  });
  expect(reads()).toBe(1);
});

test('an occurrence found by its series, and an exception shown with it, keep their records', async () => {
  const made = onlySeries(await create({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5'] }));
  const { master } = made;
  const recurrenceId = { kind: 'instant', startMs: Date.parse('2026-02-09T14:00:00Z') } as const;
  const seriesId = master.providerEventId;
  const current = { ...master, providerEventId: '', seriesId, recurrenceId };
  const target = { kind: 'occurrence', seriesId, recurrenceId, current, master } as const;
  const patch = { publicExtendedProperties: { ...LONG, other: 'x' } };
  const { exceptions } = onlySeries(await harness.provider.events.update(session, calendar, target, patch, {}));
  expect(exceptions[0]?.content).toMatchObject({ ...patch, privateExtendedProperties: { key: 'value' } });
  expect(onlySeries(await pull()).exceptions).toEqual(exceptions);
});
