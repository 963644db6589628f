import { icsFeed } from '@kalends/ics-feed';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { expect, onTestFinished, test } from 'vitest';
import { movableClock } from '../interface/movable-clock.ts';

const series = (title: string, ...exceptions: readonly number[]) => [
  ['UID:series', 'DTSTART:20260301T080000Z', 'RRULE:FREQ=DAILY;COUNT=9', `SUMMARY:${title}`],
  ...exceptions.map((day) => slot('series', day, `Moved ${day}`)),
];
const slot = (uid: string, day: number, title: string) => [
  `UID:${uid}`,
  `RECURRENCE-ID:2026030${day}T080000Z`,
  `DTSTART:2026030${day}T100000Z`,
  `SUMMARY:${title}`,
];
const event = (n: number, start = '20260302T090000Z') => [`UID:n${n}`, `DTSTART:${start}`, `SUMMARY:Event ${n}`];
const MANY = Array.from({ length: 5_001 }, (_, n) => event(n));
const feedOf = (events: readonly (readonly string[])[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

/** A feed in an engine whose storage counts commits, and the items that they write. */
async function openFeed(events: readonly (readonly string[])[]) {
  let text = feedOf(events);
  const clock = movableClock();
  const storage = sqlite({ path: ':memory:' });
  const written: number[] = [];
  const { commit } = storage.mirror;
  storage.mirror.commit = async (key, work) => {
    if (key.calendarId === 'feed' && work.writes.length > 0) written.push(work.writes.length);
    return await commit(key, work);
  };
  const engine = createEngine({
    storage,
    clock,
    providers: { ICS: icsFeed({ clock, fetch: async () => new Response(text) }) },
    secret: Buffer.alloc(32, 7).toString('base64'),
    sync: { readWaitMs: 600_000 },
  });
  await engine.start({ background: false });
  onTestFinished(() => engine.stop());
  const { id: applicationId } = await engine.applications.create({ name: 'Test', redirectUrls: [] });
  const caller = { applicationId };
  const credentials = { kind: 'url', url: 'https://feeds.example.com/large.ics' } as const;
  const { account } = await engine.accounts.upsert(caller, { providerType: 'ICS', credentials });

  const listAll = async (syncToken?: string) => {
    const shown: string[] = [];
    for (let pageToken: string | undefined; ; ) {
      const from = pageToken === undefined ? (syncToken === undefined ? {} : { syncToken }) : { pageToken };
      const page = await engine.events.list(caller, account.id, 'feed', { pageSize: 1_000, ...from });
      shown.push(...page.data.map((each) => ('title' in each ? `${each.title} ${each.start.dateTime}` : 'deleted')));
      if (page.nextPageToken == null) return { shown: shown.sort(), token: page.nextSyncToken ?? '' };
      pageToken = page.nextPageToken;
    }
  };
  let { token } = await listAll();
  return {
    engine,
    caller,
    account,
    /** Publishes another version; resolves with what a sync tells of it, and the number of items of each commit. */
    async publish(next: readonly (readonly string[])[]) {
      text = feedOf(next);
      written.length = 0;
      clock.pass(3_600_000);
      const { shown, token: after } = await listAll(token);
      token = after;
      return { shown, written: [...written] };
    },
    async setAside() {
      const { data } = await engine.accounts.listUnreadable(caller, account.id, {});
      return data.map(({ reason }) => reason);
    },
  };
}

test('a change of a large feed costs the commit of what has changed', async () => {
  const { publish } = await openFeed(MANY);
  expect(await publish([...MANY.slice(2), event(0, '20260302T100000Z'), event(9_999)])).toEqual({
    shown: ['Event 0 2026-03-02T10:00:00+00:00', 'Event 9999 2026-03-02T09:00:00+00:00', 'deleted'],
    written: [3],
  });
});

test('every change of a large feed is found: of series, of their slots, and of slots without a series', async () => {
  const { publish } = await openFeed([
    ...MANY,
    ...series('Series', 3, 4),
    slot('cup', 5, 'Final'),
    slot('cup', 6, 'Party'),
    slot('one', 7, 'One'),
  ]);
  const moved = (day: number, title: string) => `${title} 2026-03-0${day}T10:00:00+00:00`;
  // A slot less; one without a series less; the last slot of a group.
  expect((await publish([...MANY, ...series('Series', 3), slot('cup', 6, 'Party')])).shown).toEqual([
    'deleted',
    'deleted',
    'deleted',
  ]);
  // The series loses its master, and a slot without a series gets one.
  const cup = ['UID:cup', 'DTSTART:20260301T080000Z', 'RRULE:FREQ=DAILY;COUNT=9', 'SUMMARY:Cup'];
  const next = [...MANY, slot('series', 3, 'Moved 3'), cup, slot('cup', 6, 'Party')];
  expect((await publish(next)).shown).toEqual(['Cup 2026-03-01T08:00:00+00:00', 'deleted']);
  // A series with exceptions becomes a single event.
  const single = [...MANY, slot('series', 3, 'Again'), ['UID:cup', 'DTSTART:20260301T080000Z', 'SUMMARY:Cup']];
  expect((await publish(single)).shown).toEqual([moved(3, 'Again'), 'Cup 2026-03-01T08:00:00+00:00', 'deleted']);
  expect(await publish(single.toReversed())).toEqual({ shown: [], written: [] });
});

test('an event of a large feed that could not be read is read when it is as before, and forgotten when it goes', async () => {
  const known = [...MANY, ...series('Series', 3)];
  const { publish, setAside } = await openFeed(known);
  const broken = [
    ['UID:n0', 'SUMMARY:Event 0'],
    ['UID:new', 'SUMMARY:New'],
    ['UID:series', 'SUMMARY:Series'],
  ];
  expect(await publish([...MANY.slice(1), ...broken])).toEqual({ shown: [], written: [] });
  expect(await setAside()).toHaveLength(3);
  // Two events, the series and its slot: none of them has changed.
  expect(await publish(known)).toEqual({ shown: [], written: [4] });
  expect(await setAside()).toEqual([]);
});
