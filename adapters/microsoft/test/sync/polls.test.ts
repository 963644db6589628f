import type { CalendarRef, EventChange, EventPage, Provider, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, createHarness, type Harness, START } from '../harness.ts';

const HOUR_MS = 3_600_000;
const FEED = '/calendarView/delta';
const LIST = '/events';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;
/** Tags as the engine's mirror has them: of each object that a pull or a read has brought. */
let mirror: Map<string, Map<string, string>>;
beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
  mirror = new Map();
});
afterEach(() => harness.close());

const event = (subject: string) => ({
  subject,
  start: { dateTime: '2026-01-10T09:00:00', timeZone: 'UTC' },
  end: { dateTime: '2026-01-10T10:00:00', timeZone: 'UTC' },
});
const series = (subject: string) => ({
  ...event(subject),
  recurrence: {
    pattern: { type: 'daily', interval: 1 },
    range: { type: 'numbered', startDate: '2026-01-10', numberOfOccurrences: 10 },
  },
});
const post = (body: object): Promise<{ readonly id: string }> => harness.graph(ADA, 'POST', 'me/events', body);
const rename = (id: string, subject: string) => harness.graph(ADA, 'PATCH', `me/events/${id}`, { subject });
const remove = (id: string) => harness.graph(ADA, 'DELETE', `me/events/${id}`);

async function slotsOf(id: string): Promise<readonly string[]> {
  const path = `me/events/${id}/instances?startDateTime=2026-01-01&endDateTime=2026-02-01&$top=100`;
  const { value } = (await harness.graph(ADA, 'GET', path)) as { readonly value: readonly { readonly id: string }[] };
  return value.map((slot) => slot.id);
}

function keep(changes: readonly EventChange[]): void {
  for (const change of changes) {
    if (change.kind === 'deleted') mirror.delete(change.providerEventId);
    const objects =
      change.kind === 'event' ? [change.event] : change.kind === 'series' ? [change.master, ...change.exceptions] : [];
    const tags = objects.flatMap(({ providerEventId, providerTag }) =>
      providerTag === null ? [] : [[providerEventId, providerTag] as const],
    );
    if (objects[0] !== undefined) mirror.set(objects[0].providerEventId, new Map(tags));
  }
}

/** Pulls as the engine does; `askedSince` makes it a poll. */
async function pull(token: string | null, askedSince?: number, { events }: Provider = harness.provider) {
  // Gets a new access token where the last one has ended.
  await harness.primary(ADA);
  const before = new Map(Object.entries(harness.sandbox.requests.counts()));
  const known = {
    tagsOf: async (ids: readonly string[]) => new Map(ids.flatMap((id) => [...(mirror.get(id) ?? [])])),
    async *listIds() {
      yield [...mirror.keys()];
    },
    ...(askedSince === undefined ? {} : { askedSince }),
  };
  const pages: EventPage[] = [];
  for await (const page of events.pull(session, calendar, token, known)) pages.push(page);
  const changes = pages.flatMap((page) => page.changes);
  keep(changes);
  const calls = Object.entries(harness.sandbox.requests.counts()).flatMap(([pattern, count]) =>
    Array.from({ length: count - (before.get(pattern) ?? 0) }, () => pattern.replace(/^.*\{id\}(?=\/)/, '')),
  );
  const last = pages.at(-1);
  return { changes, calls: calls.sort(), token: last?.nextToken ?? '', completeAt: last?.completeAt };
}

/** Reads an event as the engine does when a push names it. */
async function read(id: string, isSeries: boolean): Promise<void> {
  keep(await harness.provider.events.get(session, calendar, id, { isSeries }));
}

const titles = (changes: readonly EventChange[]) =>
  changes.map((change) => {
    if (change.kind === 'event') return change.event.content?.title;
    return change.kind === 'series' ? change.master.content?.title : change.kind;
  });

describe('polls of a calendar', () => {
  test('ask the feed and the search in turn, and say since when changes may be missing', async () => {
    await post(event('one'));
    let { token } = await pull(null);
    const seen = [];
    for (let hours = 6; hours <= 24; hours += 6) {
      harness.sandbox.clock.advance(6 * HOUR_MS);
      const poll = await pull(token, START + (hours - 9) * HOUR_MS);
      seen.push([poll.calls, (poll.completeAt ?? Number.NaN) - START]);
      token = poll.token;
    }
    expect(seen).toEqual([
      [[FEED], 0],
      [[LIST], 6 * HOUR_MS],
      [[FEED], 12 * HOUR_MS],
      [[LIST], 18 * HOUR_MS],
    ]);
  });

  test('ask both when neither was asked lately, and so does every other pull', async () => {
    await post(event('one'));
    const { token } = await pull(null);
    harness.sandbox.clock.advance(6 * HOUR_MS);
    for (const askedSince of [START + HOUR_MS, undefined]) {
      const { calls, completeAt } = await pull(token, askedSince);
      expect([calls, completeAt]).toEqual([[FEED, LIST], undefined]);
    }
  });

  test.each([
    ['feed', 1],
    ['search', 2],
  ])('find by the %s alone an event that was created, and one that was changed', async (_source, polls) => {
    const { id } = await post(event('old'));
    let { token } = await pull(null);
    harness.sandbox.clock.advance(6 * HOUR_MS);
    if (polls === 2) token = (await pull(token, START)).token;
    harness.sandbox.clock.advance(HOUR_MS);
    await post(event('created'));
    await rename(id, 'changed');
    const { changes, calls } = await pull(token, START);
    expect(titles(changes).sort()).toEqual(['changed', 'created']);
    // The search shows both whole: one call for many events of the feed.
    expect(calls).toEqual(polls === 1 ? [FEED, LIST] : [LIST]);
  });

  test('find a deletion at the next turn of the feed', async () => {
    const { id } = await post(event('old'));
    const whole = await pull(null);
    harness.sandbox.clock.advance(6 * HOUR_MS);
    const fed = await pull(whole.token, START);
    await remove(id);
    harness.sandbox.clock.advance(6 * HOUR_MS);
    const searched = await pull(fed.token, START + 3 * HOUR_MS);
    expect([searched.calls, searched.changes]).toEqual([[LIST], []]);
    harness.sandbox.clock.advance(6 * HOUR_MS);
    const found = await pull(searched.token, START + 9 * HOUR_MS);
    expect(found.changes).toEqual([{ kind: 'deleted', providerEventId: id }]);
  });

  test('leave the search alone while the feed is refused', async () => {
    await post(event('one'));
    const { token } = await pull(null);
    harness.control('setDeltaRefusal', { refusal: 'secondPage' });
    harness.sandbox.clock.advance(6 * HOUR_MS);
    for (const title of ['two', 'three', 'four']) await post(event(title));
    const refusing = await pull(token, START, harness.providerWith({ limits: { pageSize: 2 } }));
    expect(titles(refusing.changes)).toEqual(['two', 'three', 'four']);
    harness.sandbox.clock.advance(6 * HOUR_MS);
    await post(event('five'));
    const refused = await pull(refusing.token, START + 11 * HOUR_MS);
    expect(titles(refused.changes)).toEqual(['five']);
    expect([refused.calls, refused.completeAt]).toEqual([[LIST], undefined]);
  });
});

describe('a series in the version that the mirror has', () => {
  test.each(['title', 'exception', 'cancellation'])('is not read again after a change of its %s', async (change) => {
    const { id } = await post(series('old'));
    const { token } = await pull(null);
    harness.sandbox.clock.advance(HOUR_MS);
    const [first = '', second = ''] = await slotsOf(id);
    if (change === 'title') await rename(id, 'new');
    if (change === 'exception') await rename(first, 'new');
    if (change === 'cancellation') await remove(second);
    await read(id, true);
    const { changes, calls } = await pull(token);
    expect([titles(changes).filter((title) => title !== 'deleted'), calls.filter((call) => call === FEED)]).toEqual([
      [],
      [FEED],
    ]);
    expect(calls.length).toBe(change === 'cancellation' ? 3 : 2);
  });

  test('is read again after another change, of the series or of one exception', async () => {
    const { id } = await post(series('old'));
    const [first = ''] = await slotsOf(id);
    await rename(first, 'one');
    let { token } = await pull(null);
    for (const change of [() => rename(id, 'new'), () => rename(first, 'two')]) {
      harness.sandbox.clock.advance(HOUR_MS);
      await rename(id, 'read');
      await read(id, true);
      harness.sandbox.clock.advance(HOUR_MS);
      await change();
      const { changes, token: next } = await pull(token);
      expect(changes.map(({ kind }) => kind)).toEqual(['series']);
      token = next;
    }
  });

  test('is read again when the feed names an exception that the mirror has otherwise, whatever the master says', async () => {
    const { id } = await post(series('old'));
    const [first = ''] = await slotsOf(id);
    await rename(first, 'one');
    const { token } = await pull(null);
    harness.sandbox.clock.advance(HOUR_MS);
    await rename(first, 'two');
    const stale = mirror.get(id)?.get(first);
    await read(id, true);
    if (stale !== undefined) mirror.get(id)?.set(first, stale);
    expect((await pull(token)).changes.map(({ kind }) => kind)).toEqual(['series']);
  });
});
