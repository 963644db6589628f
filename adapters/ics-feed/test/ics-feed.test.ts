import { type IcsFeedOptions, icsFeed } from '@kalends/ics-feed';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FLIGHT, HOLIDAYS, MATCHES, openFeed } from './feed-server.ts';

const OPEN = ['127.0.0.0/8'];
const WINDOW = { expandRecurrences: true, startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2027-12-31T00:00:00Z' };

async function openWorld(options: IcsFeedOptions = {}) {
  const engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: { ICS: icsFeed({ allowedNetworks: OPEN, ...options }) },
    secret: Buffer.alloc(32, 7).toString('base64'),
  });
  await engine.start({ background: false });
  onTestFinished(() => engine.stop());
  const { id: applicationId } = await engine.applications.create({ name: 'Test', redirectUrls: [] });
  const caller = { applicationId };
  const connect = async (url: string) =>
    (await engine.accounts.upsert(caller, { providerType: 'ICS', credentials: { kind: 'url', url } })).account;
  return { engine, caller, connect };
}

/** A session as the engine opens one, with what it was told of refusals. */
function sessionOf(url: string): ProviderSession & { readonly refused: unknown[] } {
  const refused: unknown[] = [];
  return {
    accountId: 'acc_1',
    email: 'feed',
    refused,
    accessToken: () => Promise.reject(new Error('a feed has no token')),
    async credentials(bad) {
      if (bad !== undefined) refused.push(bad);
      if (bad !== undefined && refused.length > 1) throw new ProviderError('invalid-grant', 'closed');
      return { kind: 'url', url };
    },
  };
}

const CALENDAR = {
  id: 'feed',
  timeZone: 'UTC',
  isPrimary: true,
  isShared: false,
  inviteEmail: '',
  allowedOnlineMeetingProviders: [],
  defaultOnlineMeetingProvider: '',
};

function provide(options: IcsFeedOptions = {}) {
  const provider = icsFeed({ allowedNetworks: OPEN, ...options });
  const pull = async (session: ProviderSession, token: string | null) => {
    const pages = [];
    for await (const page of provider.events.pull(session, CALENDAR, token)) pages.push(page);
    const changes = pages.flatMap((page) => page.changes);
    return { changes, full: pages.every(({ full }) => full), token: pages.at(-1)?.nextToken ?? '' };
  };
  return { provider, pull };
}

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => (ProviderError.isInstance(error) ? error.reason : error),
  );

describe('a feed in the engine', () => {
  it('is an account with one calendar, named by the feed, whose events are read like any others', async () => {
    const feed = await openFeed(HOLIDAYS);
    const { engine, caller, connect } = await openWorld();
    const account = await connect(feed.url);
    expect(account).toMatchObject({
      email: expect.stringMatching(/^[0-9a-f]{24}@127\.0\.0\.1$/),
      providerAccountId: expect.stringMatching(/^127\.0\.0\.1:\d+\/[0-9a-f]{24}$/),
      providerId: null,
    });
    expect(JSON.stringify(account)).not.toContain('private-4711');
    const [calendar] = (await engine.calendars.list(caller, account.id)).data;
    expect(calendar).toMatchObject({
      id: 'feed',
      name: 'Holidays in Utopia',
      timeZone: 'Europe/Lisbon',
      readOnly: true,
      isPrimary: true,
    });
    const { data } = await engine.events.list(caller, account.id, 'feed', WINDOW);
    const shown = data.map((event) => ('title' in event ? [event.title, event.start.dateTime, event.isAllDay] : []));
    expect(shown.sort()).toEqual([
      ['More’s days', '2026-02-07T00:00:00', true],
      ['New Year', '2026-01-01T00:00:00', true],
      ['New Year', '2027-01-01T00:00:00', true],
    ]);
    const start = { dateTime: '2026-03-01T09:00:00Z' };
    await expect(engine.events.create(caller, account.id, 'feed', { title: 'Mine', start })).rejects.toMatchObject({
      code: 'CalendarReadOnly',
    });
    await expect(engine.calendars.create(caller, account.id, { name: 'Mine' })).rejects.toMatchObject({
      code: 'Forbidden',
    });
  });

  it('takes the same feed once, and webcal: as https:', async () => {
    const feed = await openFeed(HOLIDAYS);
    const { engine, caller, connect } = await openWorld();
    const first = await connect(feed.url);
    expect((await connect(feed.url)).id).toBe(first.id);
    expect(await engine.accounts.getCredentials(caller, first.id)).toMatchObject({ kind: 'url', url: feed.url });
    const seen: string[] = [];
    const fetch = async (input: string | URL | Request) => {
      seen.push(String(input));
      return new Response(HOLIDAYS);
    };
    const provider = icsFeed({ fetch });
    const { signal } = new AbortController();
    const verified = await provider.authorization.verify({ kind: 'url', url: 'webcal://feeds.example/a.ics' }, signal);
    expect([seen, verified.credentials]).toEqual([
      ['https://feeds.example/a.ics'],
      { kind: 'url', url: 'https://feeds.example/a.ics' },
    ]);
  });
});

describe('a pull', () => {
  it('maps series, moved slots, flights between zones and slots without a series; what cannot be read stands aside', async () => {
    const feed = await openFeed(MATCHES([FLIGHT]));
    const { provider, pull } = provide();
    const session = sessionOf(feed.url);
    const { changes, full } = await pull(session, null);
    expect(full).toBe(true);
    expect(changes).toMatchObject([
      {
        kind: 'series',
        master: { content: { title: 'Training', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] }, isOrganizer: false },
        exceptions: [{ content: { title: 'Training, moved', start: { dateTime: '2026-03-10T19:00:00+01:00' } } }],
      },
      { kind: 'unreadable', seriesId: null, reason: expect.stringContaining('DTSTART') },
      { kind: 'event', event: { recurrenceId: { kind: 'instant' }, content: { title: 'Semi-final' } } },
      {
        kind: 'event',
        event: {
          seriesId: null,
          content: {
            location: 'JFK Terminal 7',
            start: { dateTime: '2026-03-20T21:00:00-04:00', timeZone: 'America/New_York' },
            end: { dateTime: '2026-03-21T09:00:00+00:00', timeZone: 'Europe/London' },
          },
        },
      },
    ]);
    const [series, , semiFinal] = changes;
    const id = series?.kind === 'series' ? series.master.providerEventId : '';
    expect(await provider.events.get(session, CALENDAR, id)).toEqual([series]);
    const slot = semiFinal?.kind === 'event' ? semiFinal.event : undefined;
    expect(slot?.providerEventId).toBe(`${slot?.seriesId}_20260314T140000Z`);
    expect(await provider.events.get(session, CALENDAR, 'none')).toEqual([
      { kind: 'deleted', providerEventId: 'none' },
    ]);
    expect(await provider.events.getDescription(session, CALENDAR, id, 'html')).toBe('');
    // One request for all of that.
    expect(feed.seen).toHaveLength(1);
  });

  it('asks with ETag and Last-Modified, and then tells only what has changed or is gone', async () => {
    const feed = await openFeed(MATCHES([FLIGHT]));
    const { pull } = provide();
    const session = sessionOf(feed.url);
    const first = await pull(session, null);
    const same = await pull(session, first.token);
    expect(same).toMatchObject({ changes: [], full: false });
    expect(feed.seen[1]).toMatchObject({ 'if-modified-since': 'Mon, 02 Mar 2026 09:00:00 GMT' });
    expect(feed.seen[1]?.['if-none-match']).toBeDefined();

    feed.text = MATCHES([[...FLIGHT.slice(0, 5), 'LOCATION:JFK Terminal 4']]);
    const moved = await pull(session, same.token);
    expect(moved.changes).toMatchObject([{ kind: 'event', event: { content: { location: 'JFK Terminal 4' } } }]);
    feed.text = MATCHES();
    const gone = await pull(session, moved.token);
    const [change] = moved.changes;
    const id = change?.kind === 'event' ? change.event.providerEventId : '';
    expect(gone.changes).toEqual([{ kind: 'deleted', providerEventId: id }]);
    expect((await pull(session, gone.token)).changes).toEqual([]);
  });

  it('is not misled by publishers that write DTSTAMP anew each time, without ETag', async () => {
    const feed = await openFeed(MATCHES([FLIGHT]));
    feed.validates = false;
    const { pull } = provide();
    const session = sessionOf(feed.url);
    const { token } = await pull(session, null);
    feed.text = feed.text.replaceAll('DTSTAMP:20260101T000000Z', 'DTSTAMP:20260302T101112Z');
    expect(await pull(session, token)).toMatchObject({ changes: [], full: false });
    expect(feed.seen).toHaveLength(2);
  });

  it('of two versions of an event takes the one of the later DTSTAMP, wherever it stands', async () => {
    const version = (stamp: string, hour: number) =>
      [
        'BEGIN:VEVENT',
        'UID:twice',
        `DTSTAMP:${stamp}`,
        `DTSTART:20260302T${hour}0000Z`,
        'SUMMARY:Twice',
        'END:VEVENT',
      ].join('\r\n');
    const versions = [version('20260302T000000Z', 11), version('20260301T000000Z', 10)];
    for (const each of [versions, versions.toReversed()]) {
      const feed = await openFeed(['BEGIN:VCALENDAR', 'VERSION:2.0', ...each, 'END:VCALENDAR', ''].join('\r\n'));
      const { changes } = await provide().pull(sessionOf(feed.url), null);
      expect(changes).toMatchObject([{ event: { content: { start: { dateTime: '2026-03-02T11:00:00+00:00' } } } }]);
    }
  });

  it('takes one of several events of one UID, and says that there are more', async () => {
    const event = (day: string) =>
      ['BEGIN:VEVENT', 'UID:same', `DTSTART:202603${day}T100000Z`, `SUMMARY:${day}`, 'END:VEVENT'].join('\r\n');
    const pulled = async (...events: readonly string[]) => {
      const feed = await openFeed(['BEGIN:VCALENDAR', 'VERSION:2.0', ...events, 'END:VCALENDAR', ''].join('\r\n'));
      return (await provide().pull(sessionOf(feed.url), null)).changes;
    };
    const unreadableParts = ['UID: is that of several events; one was taken'];
    expect(await pulled(event('02'), event('03'))).toMatchObject([
      { kind: 'event', event: { content: { title: '03' }, unreadableParts } },
    ]);
    expect(JSON.stringify(await pulled(event('02'), event('02')))).not.toContain('unreadableParts');
  });

  it('joins what several calendars of a file say of one series, and keeps it when the series changes', async () => {
    const file = (...events: readonly (readonly string[])[]) =>
      events
        .map((lines) =>
          ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:s', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join(
            '\r\n',
          ),
        )
        .join('');
    const series = (title: string, sequence: number) => [
      `SUMMARY:${title}`,
      `SEQUENCE:${sequence}`,
      'DTSTART:20260303T120000Z',
      'RRULE:FREQ=DAILY;COUNT=3',
    ];
    const slot = (title: string, sequence: number) => [
      'RECURRENCE-ID:20260304T120000Z',
      `SUMMARY:${title}`,
      `SEQUENCE:${sequence}`,
      'DTSTART:20260304T150000Z',
    ];
    const feed = await openFeed(file(series('Series', 1), slot('Moved', 1)));
    const { pull } = provide();
    const session = sessionOf(feed.url);
    const first = await pull(session, null);
    const shown = (title: string, slotTitle: string) => [
      { kind: 'series', master: { content: { title } }, exceptions: [{ content: { title: slotTitle } }] },
    ];
    expect(first.changes).toMatchObject(shown('Series', 'Moved'));
    const versions = [series('Changed', 3), slot('Moved', 1), series('Older', 2), slot('Moved again', 2)];
    for (const each of [versions, versions.toReversed()]) {
      feed.text = file(...each);
      expect((await pull(session, first.token)).changes).toMatchObject(shown('Changed', 'Moved again'));
    }
  });

  it('deletes nothing for a feed that is cut off', async () => {
    const feed = await openFeed(MATCHES([FLIGHT]));
    const { pull } = provide();
    const session = sessionOf(feed.url);
    const { token } = await pull(session, null);
    const whole = feed.text;
    for (const end of ['BEGIN:VEVENT', 'END:VEVENT', 'END:VCALENDAR']) {
      feed.text = whole.slice(0, whole.lastIndexOf(end));
      expect([end, await reasonOf(pull(session, token))]).toEqual([end, 'malformed']);
      expect([end, await reasonOf(pull(session, null))]).toEqual([end, 'malformed']);
    }
    feed.text = `${whole}\r\n<!-- 0.3 s -->`;
    expect(await pull(session, token)).toMatchObject({ changes: [] });
  });

  it('keeps a slot without its series when it cannot be read any more', async () => {
    const feed = await openFeed(MATCHES());
    const { pull } = provide();
    const session = sessionOf(feed.url);
    const { changes, token } = await pull(session, null);
    const [id] = changes.flatMap((change) =>
      change.kind === 'event' && change.event.content?.title === 'Semi-final' ? [change.event.providerEventId] : [],
    );
    expect(id).toBeDefined();
    const [head = '', tail = ''] = feed.text.split(/(?=SUMMARY:Semi-final)/);
    const from = head.lastIndexOf('DTSTART');
    feed.text = `${head.slice(0, from)}DTSTART:soon\r\n${head.slice(head.indexOf('\r\n', from) + 2)}${tail}`;
    expect(await pull(session, token)).toMatchObject({
      changes: [{ kind: 'unreadable', seriesId: id?.slice(0, 22) }],
    });
  });

  it('polls no more often than the publisher wants, save when it reads anew', async () => {
    let now = Date.UTC(2026, 2, 2, 9);
    const feed = await openFeed(HOLIDAYS);
    const clock = { now: () => now, monotonic: () => now, sleep: () => new Promise<void>(() => undefined) };
    const { provider, pull } = provide({ clock: clock as unknown as NonNullable<IcsFeedOptions['clock']> });
    const session = { ...sessionOf(feed.url), isBackground: true, isRoutine: true };
    const { token } = await pull(session, null);
    now += 12 * 3_600_000 - 1;
    expect(await pull(session, token)).toMatchObject({ changes: [], token });
    for (const pages of [provider.events.pull(session, CALENDAR, token), provider.calendars.pull(session, token)]) {
      for await (const page of pages) expect(page).toMatchObject({ changes: [], isUnasked: true });
    }
    expect(feed.seen).toHaveLength(1);
    now += 1;
    await pull(session, token);
    expect(feed.seen).toHaveLength(2);
    await pull(session, null);
    expect(feed.seen).toHaveLength(3);
  });

  it.each([
    ['a person waits', { isBackground: false }],
    ['a sync was asked for', { isBackground: true, isRoutine: false }],
  ])('asks before the publisher wants where %s', async (_, caller) => {
    const feed = await openFeed(HOLIDAYS);
    const { provider, pull } = provide();
    const session = { ...sessionOf(feed.url), ...caller };
    const { token } = await pull(session, null);
    for (const pages of [provider.events.pull(session, CALENDAR, token), provider.calendars.pull(session, token)]) {
      for await (const page of pages) expect(page.isUnasked).toBeUndefined();
    }
    expect(feed.seen).toHaveLength(3);
  });

  it('polls after its clock was set back', async () => {
    let now = Date.UTC(2026, 2, 2, 9);
    const feed = await openFeed(HOLIDAYS);
    const clock = { now: () => now, monotonic: () => now, sleep: () => new Promise<void>(() => undefined) };
    const { pull } = provide({ clock: clock as unknown as NonNullable<IcsFeedOptions['clock']> });
    const session = { ...sessionOf(feed.url), isRoutine: true };
    const { token } = await pull(session, null);
    now -= 3_600_000;
    await pull(session, token);
    expect(feed.seen).toHaveLength(2);
  });

  it('reads a feed in pages, and a large one in full again after a change when there is no mirror to ask', async () => {
    const events = (count: number) =>
      Array.from({ length: count }, (_, n) => [`UID:n${n}`, 'DTSTART:20260302T090000Z', `SUMMARY:Event ${n}`]);
    const feed = await openFeed(MATCHES(events(5_001)));
    const { provider, pull } = provide();
    const session = sessionOf(feed.url);
    const sizes = [];
    for await (const { changes } of provider.events.pull(session, CALENDAR, null)) sizes.push(changes.length);
    expect([sizes.length, Math.max(...sizes)]).toEqual([51, 100]);
    const { token } = await pull(session, null);
    expect(token.length).toBeLessThan(200);
    expect((await pull(session, token)).changes).toEqual([]);
    feed.text = MATCHES(events(5_002));
    expect(await reasonOf(pull(session, token))).toBe('sync-token-expired');
  });

  it('finds nothing in a large feed without validators that is as before, but in another order', async () => {
    const event = (n: number) => [`UID:n${n}`, 'DTSTART:20260302T090000Z', `SUMMARY:Event ${n}`];
    const events = Array.from({ length: 5_001 }, (_, n) => event(n));
    const feed = await openFeed(MATCHES(events));
    feed.validates = false;
    const { pull } = provide();
    const session = sessionOf(feed.url);
    const { token } = await pull(session, null);
    feed.text = MATCHES(events.toReversed());
    expect(await pull(session, token)).toMatchObject({ changes: [], full: false });
    feed.text = MATCHES([...events.slice(1), ['UID:n0', 'DTSTART:20260302T100000Z', 'SUMMARY:Event 0']]);
    expect(await reasonOf(pull(session, token))).toBe('sync-token-expired');
  });
});

describe('the network', () => {
  it('unpacks gzip, and refuses more than its limit, packed or not', async () => {
    const feed = await openFeed(HOLIDAYS);
    feed.isZipped = true;
    const { pull } = provide();
    expect((await pull(sessionOf(feed.url), null)).changes).toHaveLength(2);
    feed.text = HOLIDAYS.replace('SUMMARY:New Year', `DESCRIPTION:${'x'.repeat(200_000)}`);
    const small = provide({ limits: { maxAnswerBytes: 100_000 } });
    expect(await reasonOf(small.pull(sessionOf(feed.url), null))).toBe('malformed');
  });

  it('asks no private address, itself or behind a redirect, and follows redirects that are public', async () => {
    const target = await openFeed(HOLIDAYS);
    const feed = await openFeed(HOLIDAYS);
    const closed = provide({ allowedNetworks: [] });
    expect(await reasonOf(closed.pull(sessionOf(feed.url), null))).toBe('forbidden');
    feed.status = 302;
    feed.headers = { location: 'http://169.254.169.254/latest' };
    const { pull } = provide();
    expect(await reasonOf(pull(sessionOf(feed.url), null))).toBe('forbidden');
    feed.headers = { location: target.url };
    expect((await pull(sessionOf(feed.url), null)).changes).toHaveLength(2);
    feed.headers = { location: feed.url };
    expect(await reasonOf(pull(sessionOf(feed.url), null))).toBe('malformed');
    const downgrade = provide({
      fetch: async () => new Response(null, { status: 301, headers: { location: target.url } }),
    });
    expect(await reasonOf(downgrade.pull(sessionOf('https://feeds.example/'), null))).toBe('malformed');
  });

  it('tells a closed feed from one that is missing, busy or none at all', async () => {
    const feed = await openFeed(HOLIDAYS);
    const { pull } = provide();
    for (const status of [401, 403, 410]) {
      feed.status = status;
      const session = sessionOf(feed.url);
      expect(await reasonOf(pull(session, null))).toBe('unauthorized');
      // The engine proves the address by a request of its own: here it finds it good once.
      expect(session.refused).toHaveLength(1);
      expect(await reasonOf(pull(session, null))).toBe('invalid-grant');
    }
    for (const [status, reason] of [
      [404, 'unavailable'],
      [429, 'rate-limited'],
      [503, 'unavailable'],
      [204, 'malformed'],
    ] as const) {
      feed.status = status;
      const session = sessionOf(feed.url);
      expect([status, await reasonOf(pull(session, null)), session.refused]).toEqual([status, reason, []]);
    }
    const page = await openFeed('<!doctype html><p>Sign in</p>');
    expect(await reasonOf(pull(sessionOf(page.url), null))).toBe('malformed');
  });

  it('refuses every write, and push', async () => {
    const { provider } = provide();
    const session = sessionOf('https://feeds.example/a.ics');
    const { calendars, events, push } = provider;
    const target = { kind: 'event', providerEventId: 'x', current: undefined as never } as const;
    for (const write of [
      calendars.create(session, { name: 'x' }),
      calendars.update(session, 'feed', { name: 'x' }),
      calendars.delete(session, 'feed'),
      events.update(session, CALENDAR, target, {}, {}),
      events.delete(session, CALENDAR, target, {}),
      events.respond(session, CALENDAR, target, 'accepted', {}),
    ]) {
      expect(await reasonOf(write)).toBe('forbidden');
    }
    expect(await reasonOf(push.open(session, undefined as never))).toBe('push-unsupported');
    expect((await push.receive(new Request('https://kalends.test/'))).response.status).toBe(404);
  });
});
