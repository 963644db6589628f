import type { CalendarRef, EventChange, Provider, ProviderSession, PullKnowledge } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, BEN, collect, createHarness, graphEvent, type Harness, nextRequestId, START } from '../harness.ts';

const DAY = 86_400_000;
let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness({ limits: { pageSize: 2 } });
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const daily = (startDate: string, count: number) => ({
  recurrence: {
    pattern: { type: 'daily', interval: 1 },
    range: { type: 'numbered', startDate, numberOfOccurrences: count },
  },
});

const post = (event: object) => harness.graph(ADA, 'POST', 'me/events', event);
const pull = (token: string | null, provider: Provider = harness.provider) =>
  collect(provider.events.pull(session, calendar, token));

const namesOf = (changes: readonly EventChange[]): string[] =>
  changes
    .map((change) => {
      if (change.kind === 'event') return change.event.content?.title ?? '';
      if (change.kind === 'series') return `${change.master.content?.title}+${change.exceptions.length}`;
      return `${change.kind}`;
    })
    .sort();

async function instances(masterId: string) {
  const path = `me/events/${masterId}/instances?startDateTime=2026-01-01&endDateTime=2030-01-01&$top=100`;
  return (await harness.graph(ADA, 'GET', path)).value as { id: string; start: { dateTime: string } }[];
}

describe('the change feed', () => {
  test('a pull without a token lists everything, inside the window and outside, and ends with a token', async () => {
    await post(graphEvent('now', '2026-01-10T09:00:00'));
    await post(graphEvent('long ago', '2015-01-10T09:00:00'));
    await post(graphEvent('far ahead', '2032-01-10T09:00:00'));
    const master = await post(graphEvent('series', '2026-01-10T09:00:00', daily('2026-01-10', 4)));
    const [first, second] = await instances(master.id);
    await harness.graph(ADA, 'PATCH', `me/events/${first!.id}`, { subject: 'other' });
    await harness.graph(ADA, 'DELETE', `me/events/${second!.id}`);
    const pages: { readonly full: boolean; readonly nextToken?: string; readonly changes: readonly EventChange[] }[] =
      [];
    for await (const page of harness.provider.events.pull(session, calendar, null)) pages.push(page);
    expect(namesOf(pages.flatMap(({ changes }) => changes))).toEqual(['far ahead', 'long ago', 'now', 'series+2']);
    expect(pages.length).toBe(3);
    expect(pages.every(({ full }) => full)).toBe(true);
    expect(pages.map(({ nextToken }) => nextToken !== undefined)).toEqual([false, false, true]);
  });

  test('an incremental pull brings creations, changes and deletions, and then nothing', async () => {
    const kept = await post(graphEvent('kept', '2026-01-10T09:00:00'));
    const gone = await post(graphEvent('gone', '2026-01-10T09:00:00'));
    const series = await post(graphEvent('series', '2026-01-10T09:00:00', daily('2026-01-10', 40)));
    const dead = await post(graphEvent('dead', '2026-01-10T09:00:00', daily('2026-01-10', 40)));
    const { token } = await pull(null);
    expect((await pull(token)).changes).toEqual([]);
    harness.sandbox.clock.advance(1000);
    await post(graphEvent('new', '2026-01-11T09:00:00'));
    await post(graphEvent('new far ahead', '2035-01-11T09:00:00'));
    await harness.graph(ADA, 'PATCH', `me/events/${kept.id}`, { subject: 'renamed' });
    await harness.graph(ADA, 'DELETE', `me/events/${gone.id}`);
    await harness.graph(ADA, 'DELETE', `me/events/${dead.id}`);
    const [, second] = await instances(series.id);
    await harness.graph(ADA, 'DELETE', `me/events/${second!.id}`);
    const { changes, full, token: next } = await pull(token);
    expect(full).toBe(false);
    expect(namesOf(changes.filter(({ kind }) => kind !== 'deleted'))).toEqual([
      'new',
      'new far ahead',
      'renamed',
      'series+1',
    ]);
    const deletedIds = changes.flatMap((change) => (change.kind === 'deleted' ? [change.providerEventId] : []));
    expect(deletedIds).toEqual(expect.arrayContaining([gone.id, dead.id]));
    expect(deletedIds).not.toContain(series.id);
    expect((await pull(next)).changes).toEqual([]);
  });

  test('an event moved out of the window is still there, one moved in as well', async () => {
    const event = await post(graphEvent('wanderer', '2026-01-10T09:00:00'));
    const { token } = await pull(null);
    harness.sandbox.clock.advance(1000);
    await harness.graph(ADA, 'PATCH', `me/events/${event.id}`, graphEvent('wanderer', '2040-01-10T09:00:00'));
    const { changes } = await pull(token);
    expect(changes.filter(({ kind }) => kind === 'deleted')).toEqual([]);
    expect(namesOf(changes)).toEqual(['wanderer']);
  });

  test('every spelling of a dead token is a dead token', async () => {
    for (const code of ['syncStateNotFound', 'syncStateInvalid', 'resyncRequired']) {
      const { token } = await pull(null);
      harness.control('expireDeltaTokens', { code });
      await expect(pull(token)).rejects.toMatchObject({ reason: 'sync-token-expired' });
      harness.sandbox.clock.advance(10);
    }
    for (const text of ['', 'nonsense', '{"v":2}', '{"v":1,"link":"me"}']) {
      await expect(pull(text)).rejects.toMatchObject({ reason: 'sync-token-expired' });
    }
  });
});

test('an occurrence deleted in silence is found, whatever the feed leaves out or says twice', async () => {
  harness.control('setDeltaUnreliability', {
    missedOccurrenceDeletions: 1,
    repeatedDeltaEntities: 1,
    omittedDeltaMasters: 1,
  });
  const series = await post(graphEvent('series', '2026-01-10T09:00:00', daily('2026-01-10', 10)));
  const { token } = await pull(null);
  harness.sandbox.clock.advance(60_000);
  const [, second] = await instances(series.id);
  await harness.graph(ADA, 'DELETE', `me/events/${second!.id}`);
  const { changes, token: next } = await pull(token);
  expect(namesOf(changes)).toContain('series+1');
  expect((await pull(next)).changes).toEqual([]);
});

test('the feed is begun anew, in the same pull, long before its window runs out', async () => {
  await post(graphEvent('one', '2026-01-10T09:00:00'));
  harness.control('setTokenLives', { deltaTokenLifeMs: 400 * DAY });
  const { token } = await pull(null);
  const startOf = (text: string): number => JSON.parse(text).feed.startedAt;
  harness.sandbox.clock.advance(60 * DAY);
  const early = await pull(token);
  expect(early).toMatchObject({ full: false, changes: [] });
  expect(startOf(early.token)).toBe(START);
  harness.sandbox.clock.advance(40 * DAY);
  const rolled = await pull(early.token);
  expect(rolled.full).toBe(true);
  expect(namesOf(rolled.changes)).toEqual(['one']);
  expect(startOf(rolled.token)).toBe(START + 100 * DAY);
});

test('a token holds no address, so it outlives a change of the root', async () => {
  await post(graphEvent('one', '2026-01-10T09:00:00'));
  const { token } = await pull(null);
  expect(token).not.toContain(harness.url);
  const other = await harness.sandbox.listen();
  const provider = harness.providerWith({ graphUrl: `${other.url}/microsoft/v1.0` });
  await post(graphEvent('two', '2026-01-10T09:00:00'));
  expect(namesOf((await pull(token, provider)).changes)).toEqual(['two']);
});

const KNOWN_NOTHING: PullKnowledge = { tagsOf: async () => new Map(), async *listIds() {} };

describe('a refused change feed', () => {
  // An endless series has more than a thousand occurrences in the window: five hundred pages of two.
  let wide: Provider;
  beforeEach(() => {
    wide = harness.providerWith({ limits: { pageSize: 100 } });
  });
  const pull = (token: string | null, failures = 0) =>
    collect(wide.events.pull(session, calendar, token, { ...KNOWN_NOTHING, failures }));
  const refuse = (refusal: string) => harness.control('setDeltaRefusal', { refusal });
  const refusalOf = (token: string) => JSON.parse(token).refusal;

  /** Pulls until the feed has failed often enough to count as refused. */
  async function pullRefused(token: string | null) {
    for (let failures = 0; failures < 2; failures += 1) {
      await expect(pull(token, failures)).rejects.toMatchObject({
        reason: expect.stringMatching(/^(unavailable|timeout)$/),
      });
    }
    return pull(token, 2);
  }

  test.each([
    ['secondPage', DAY],
    ['endlessSeries', 300_000],
    ['always', 300_000],
  ])('(%s) costs neither the calendar nor its changes, and is tried again', async (refusal, waitMs) => {
    refuse(refusal);
    const kept = await post(graphEvent('kept', '2026-01-10T09:00:00'));
    await post(graphEvent('beside', '2026-01-10T09:00:00'));
    const series = await post({
      ...graphEvent('series', '2026-01-10T09:00:00'),
      recurrence: { pattern: { type: 'daily', interval: 1 }, range: { type: 'noEnd', startDate: '2026-01-10' } },
    });
    // 403 is final; an outage is waited out twice.
    const whole = refusal === 'secondPage' ? await pull(null) : await pullRefused(null);
    expect(namesOf(whole.changes)).toEqual(['beside', 'kept', 'series+0']);
    expect(refusalOf(whole.token)).toEqual({ retryAt: expect.any(Number), waitMs });
    harness.sandbox.clock.advance(90_000);
    await post(graphEvent('new', '2026-01-11T09:00:00'));
    await harness.graph(ADA, 'PATCH', `me/events/${kept.id}`, { subject: 'renamed' });
    const [, second] = await instances(series.id);
    await harness.graph(ADA, 'DELETE', `me/events/${second!.id}`);
    const next = await pull(whole.token);
    expect(next.full).toBe(false);
    expect(namesOf(next.changes)).toEqual(['new', 'renamed', 'series+1']);
    expect((await pull(next.token)).changes).toEqual([]);
    refuse('none');
    expect(refusalOf((await pull(next.token)).token)).not.toBeNull();
    harness.sandbox.clock.advance(waitMs);
    await post(graphEvent('later', '2026-01-12T09:00:00'));
    // Only a whole pull finds what was removed while no feed told of it.
    await expect(pull(next.token)).rejects.toMatchObject({ reason: 'sync-token-expired' });
    const resumed = await pull(null);
    expect(namesOf(resumed.changes)).toEqual(['beside', 'later', 'new', 'renamed', 'series+1']);
    expect(refusalOf(resumed.token)).toBeNull();
    await harness.graph(ADA, 'DELETE', `me/events/${kept.id}`);
    expect((await pull(resumed.token)).changes).toEqual([{ kind: 'deleted', providerEventId: kept.id }]);
  });

  test('reports the removals meanwhile when the feed goes on', async () => {
    const gone = await post(graphEvent('gone', '2026-01-10T09:00:00'));
    const { token } = await pull(null);
    refuse('always');
    await harness.graph(ADA, 'DELETE', `me/events/${gone.id}`);
    const refused = await pullRefused(token);
    expect(refused.changes).toEqual([]);
    const waits = [];
    let last = refused.token;
    for (let tries = 0; tries < 3; tries += 1) {
      waits.push(refusalOf(last).waitMs);
      harness.sandbox.clock.advance(refusalOf(last).waitMs);
      last = (await pull(last)).token;
    }
    expect(waits).toEqual([300_000, 600_000, 1_200_000]);
    refuse('none');
    harness.sandbox.clock.advance(refusalOf(last).waitMs);
    expect((await pull(last)).changes).toEqual([{ kind: 'deleted', providerEventId: gone.id }]);
  });

  const failFeed = (status: number, code: string, times: number) =>
    harness.sandbox.faults.arm({
      provider: 'microsoft',
      path: '/v1.0/me/calendars/[^/]+/calendarView/delta',
      kind: 'answer',
      status,
      body: { error: { code, message: '' } },
      times,
    });

  test('is listed where each first round loses its token', async () => {
    await post(graphEvent('one', '2026-01-10T09:00:00'));
    failFeed(410, 'SyncStateNotFound', 3);
    for (const failures of [0, 1]) await expect(pull(null, failures)).rejects.toMatchObject({ reason: 'malformed' });
    const whole = await pull(null, 2);
    expect(namesOf(whole.changes)).toEqual(['one']);
    expect(refusalOf(whole.token)).toMatchObject({ waitMs: 300_000 });
    harness.sandbox.clock.advance(300_000);
    await expect(pull(whole.token)).rejects.toMatchObject({ reason: 'sync-token-expired' });
    expect(refusalOf((await pull(null)).token)).toBeNull();
  });

  test('is begun anew when its link is refused again', async () => {
    const gone = await post(graphEvent('gone', '2026-01-10T09:00:00'));
    let { token } = await pull(null);
    const { link } = JSON.parse(token).feed;
    wide = harness.providerWith({
      limits: { pageSize: 100 },
      fetch: async (input, init) => {
        const isBroken = decodeURIComponent(new Request(input, init).url).endsWith(decodeURIComponent(link));
        const error = { code: 'BadRequest', message: 'Badly formed token.' };
        return isBroken ? Response.json({ error }, { status: 400 }) : fetch(input, init);
      },
    });
    for (let day = 0; day < 2; day += 1) {
      token = (await pull(token)).token;
      harness.sandbox.clock.advance(DAY);
    }
    await expect(pull(token)).rejects.toMatchObject({ reason: 'sync-token-expired' });
    token = (await pull(null)).token;
    expect(refusalOf(token)).toBeNull();
    await harness.graph(ADA, 'DELETE', `me/events/${gone.id}`);
    expect((await pull(token)).changes).toEqual([{ kind: 'deleted', providerEventId: gone.id }]);
  });

  test('is listed and compared where recent changes cannot be searched either', async () => {
    refuse('always');
    await post(graphEvent('one', '2026-01-10T09:00:00'));
    const { token } = await pullRefused(null);
    harness.sandbox.clock.advance(90_000);
    await post(graphEvent('two', '2026-01-10T09:00:00'));
    harness.sandbox.faults.arm({
      provider: 'microsoft',
      path: '/v1.0/me/calendars/[^/]+/events',
      kind: 'answer',
      status: 400,
      body: { error: { code: 'ErrorInvalidUrlQueryFilter', message: '' } },
      times: 1,
    });
    expect(namesOf((await pull(token)).changes)).toEqual(['two']);
  });
});

test('shared calendars are read by their own path', async () => {
  const bens = await harness.primary(BEN);
  const sharedId = harness.sandbox.microsoft.shareCalendar({
    ownerEmail: BEN,
    calendarId: bens.id,
    withEmail: ADA,
    role: 'writer',
  });
  const shared: CalendarRef = { ...bens, id: sharedId, isPrimary: false, isShared: true };
  const input = {
    title: 'for Ben',
    start: { dateTime: '2026-01-12T09:00:00+01:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2026-01-12T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  };
  const [created] = await harness.provider.events.create(session, shared, input, { requestId: nextRequestId() });
  const { changes } = await collect(harness.provider.events.pull(session, shared, null));
  expect(changes).toEqual([created]);
});

test('an event is only deleted when its calendar is there to say so', async () => {
  const created = await harness.provider.calendars.create(session, { name: 'Other' });
  const event = await harness.graph(
    ADA,
    'POST',
    `me/calendars/${created.id}/events`,
    graphEvent('x', '2026-01-10T09:00:00'),
  );
  await harness.provider.calendars.delete(session, created.id);
  await expect(harness.provider.events.get(session, { ...calendar, id: created.id }, event.id)).rejects.toMatchObject({
    reason: 'not-found',
  });
  await expect(
    collect(harness.provider.events.pull(session, { ...calendar, id: created.id }, null)),
  ).rejects.toMatchObject({ reason: 'not-found' });
  const [gone] = await harness.provider.events.get(session, calendar, 'no such id');
  expect(gone).toEqual({ kind: 'deleted', providerEventId: 'no such id' });
});

test('a page that fails ends the pull with its reason', async () => {
  for (let at = 0; at < 5; at += 1) await post(graphEvent(`e${at}`, '2026-01-10T09:00:00'));
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    path: '/v1.0/me/calendars/[^/]+/events',
    kind: 'answer',
    status: 503,
    skip: 1,
  });
  await expect(pull(null)).rejects.toMatchObject({ reason: 'unavailable', status: 503 });
});
