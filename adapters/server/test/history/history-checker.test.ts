import { expect, it } from 'vitest';
import type { HistoryCheckerOptions } from '../../src/history/history-checker.ts';
import { PROMISES } from '../../src/history/promises.ts';
import { event, gone, type MadeHistory, madeHistory, violationsOf } from './made-history.ts';

const BOBS = 'events/acc_2/bob%40example.com';
/** The same meeting in two mailboxes. */
const meeting = (id: string, version = 1) => ({ ...event(id, version), iCalUid: 'meeting' });

/** Histories in which a promise is broken, with the lines and records that show it. */
const BROKEN: readonly (readonly [
  promise: string,
  what: string,
  history: MadeHistory,
  lines: readonly number[],
  records: readonly string[],
  options?: HistoryCheckerOptions,
])[] = [
  [
    'copy-equals-list',
    'a sync result leaves out a change',
    madeHistory()
      .list('', [event('a'), event('b')], { sync: 's1' })
      .list('', [event('a', 2), event('b')], { sync: 't1' })
      .list('?syncToken=s1', [], { sync: 's2' }),
    [2, 3],
    ['a'],
  ],
  [
    'copy-equals-list',
    'a sync result leaves out a new record',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .list('', [event('a'), event('b')], { sync: 't1' })
      .list('?syncToken=s1', [], { sync: 's2' })
      .list('?syncToken=t1', [], { sync: 't2' }),
    [3, 4],
    ['b'],
  ],
  [
    'copy-equals-list',
    'a sync result leaves out a deletion',
    madeHistory()
      .list('', [event('a'), event('b')], { sync: 's1' })
      .list('', [event('b')], { sync: 't1' })
      .list('?syncToken=s1', [], { sync: 's2' }),
    [2, 3],
    ['a'],
  ],
  [
    'copy-equals-list',
    'a copy differs from a list while nothing changes',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .quiet()
      .list('?syncToken=s1', [gone('a')], { sync: 's2' })
      .list('', [event('a')], { sync: 't1' }),
    [3, 4],
    ['a'],
  ],
  [
    'copy-equals-list',
    'two lists with one token differ',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .list('', [event('a'), event('b')], { sync: 's1' }),
    [1, 2],
    ['b'],
  ],
  [
    'copy-equals-list',
    'a copy that begins again from an earlier token',
    madeHistory()
      .list('', [event('a'), event('b')], { sync: 's1' })
      .list('?syncToken=s1', [event('a', 2)], { sync: 's2' })
      .quiet()
      .list('?syncToken=s1', [], { sync: 's3' })
      .list('', [event('a', 2), event('b')], { sync: 't1' }),
    [4, 5],
    ['a'],
  ],
  [
    'record-once',
    'a page repeats a record of the page before',
    madeHistory()
      .list('?limit=2', [event('a'), event('b')], { page: 'p1' })
      .list('?limit=2&pageToken=p1', [event('b')], { sync: 's1' }),
    [1, 2],
    ['b'],
  ],
  [
    'record-once',
    'a sync result names a record as changed and as deleted',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .list('?syncToken=s1', [event('a', 2), gone('a')], { sync: 's2' }),
    [2],
    ['a'],
  ],
  [
    'one-moment',
    'the second page shows what was created after the first one',
    madeHistory()
      .list('?limit=1', [event('a')], { page: 'p1' })
      .create(event('b'))
      .list('?limit=1&pageToken=p1', [event('b')], { sync: 's1' }),
    [1, 2, 3],
    ['b'],
  ],
  [
    'one-moment',
    'a page that is read again is another one',
    madeHistory()
      .list('?limit=1', [event('a')], { page: 'p1' })
      .list('?limit=1&pageToken=p1', [event('b')], { sync: 's1' })
      .list('?limit=1&pageToken=p1', [event('b', 2)], { sync: 's2' }),
    [2, 3],
    [],
  ],
  ['ends-with-token', 'a last page without a token', madeHistory().list('', [event('a')], {}), [1], []],
  [
    'ends-with-token',
    'a page with both tokens',
    madeHistory().list('', [event('a')], { page: 'p1', sync: 's1' }),
    [1],
    [],
  ],
  [
    'token-lives',
    'a token of yesterday is refused',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .later(86_400_000)
      .refused('?syncToken=s1', 410, 'SyncTokenExpired'),
    [1, 2],
    [],
  ],
  [
    'token-lives',
    'a token is taken for none',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .refused('?syncToken=s1', 400, 'InvalidSyncToken'),
    [1, 2],
    [],
  ],
  [
    'read-your-writes',
    'a read shows the record as it was before the write',
    madeHistory().get('a', event('a')).update(event('a', 2)).get('a', event('a')),
    [1, 2, 3],
    ['a'],
  ],
  [
    'read-your-writes',
    'a read shows an older state that was not read before',
    madeHistory().update(event('a', 3)).get('a', event('a', 2)),
    [1, 2],
    ['a'],
  ],
  [
    'read-your-writes',
    'a sync result leaves out the write of its own client',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .update(event('a', 2))
      .list('?syncToken=s1', [], { sync: 's2' }),
    [1, 2, 3],
    ['a'],
  ],
  [
    'read-your-writes',
    'a created record is missing for a while',
    madeHistory().create(event('a')).get('a', 404).get('a', event('a')),
    [1, 2, 3],
    ['a'],
  ],
  [
    'read-your-writes',
    'a created record is missing from a list',
    madeHistory().create(event('a')).list('', [], { sync: 's1' }),
    [1, 2],
    ['a'],
    { isOnlyWriter: true },
  ],
  [
    'read-your-writes',
    'a record is not as its only writer left it after an import',
    madeHistory()
      .other('POST', 'calendars/acc_1/ada%40example.com/imports', 202, { id: 'imp_1' })
      .other('GET', 'calendars/acc_1/ada%40example.com/imports/imp_1', 200, { state: 'finished' })
      .create(event('a'))
      .get('a', event('a', 2)),
    [3, 4],
    ['a'],
    { isOnlyWriter: true },
  ],
  [
    'read-your-writes',
    'a record is not as its only writer left it',
    madeHistory().create(event('a')).get('a', event('a', 2)),
    [1, 2],
    ['a'],
    { isOnlyWriter: true },
  ],
  [
    'read-your-writes',
    'a record is not as its only writer left it, beside an answer to another invitation',
    madeHistory()
      .create(event('a'))
      .create(meeting('b'))
      .other('GET', `${BOBS}/c`, 200, meeting('c'))
      .other('POST', `${BOBS}/c/rsvp`, 200, { success: true })
      .get('a', event('a', 2)),
    [1, 5],
    ['a'],
    { isOnlyWriter: true },
  ],
  [
    'deleted-stays-deleted',
    'a deleted record is listed',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .remove('a')
      .list('', [event('a')], { sync: 's2' }),
    [2, 3],
    ['a'],
  ],
  [
    'deleted-stays-deleted',
    'a sync result leaves out the deletion of its own client',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .remove('a')
      .list('?syncToken=s1', [], { sync: 's2' }),
    [2, 3],
    ['a'],
  ],
  [
    'no-going-back',
    'a state returns that had been replaced',
    madeHistory().get('a', event('a')).get('a', event('a', 2)).get('a', event('a')),
    [1, 2, 3],
    ['a'],
  ],
  [
    'no-going-back',
    'a later read shows an earlier change',
    madeHistory()
      .get('a', event('a', 3))
      .list('', [event('a', 2)], { sync: 's1' }),
    [1, 2],
    ['a'],
  ],
  [
    'etag-tells',
    'two contents have one etag',
    madeHistory()
      .get('a', event('a'))
      .get('a', { ...event('a'), title: 'another' }),
    [1, 2],
    ['a'],
  ],
  [
    'create-once',
    'a repeated creation creates a second record',
    madeHistory().create(event('a'), 'key').create(event('b'), 'key'),
    [1, 2],
    ['a', 'b'],
  ],
];

it.each(
  BROKEN.map(([promise, what, history, lines, records, options]) => ({
    promise,
    what,
    history,
    lines,
    records,
    options,
  })),
)('$promise is broken: $what', ({ promise, history, lines, records, options }) => {
  expect(violationsOf(history, options)).toEqual([[promise, lines, records]]);
});

it('has a broken history for each promise', () => {
  expect([...new Set(BROKEN.map(([promise]) => promise))].sort()).toEqual(Object.keys(PROMISES).sort());
});

/** Histories that look as if something were broken, and are not. */
const SOUND: readonly (readonly [what: string, history: MadeHistory, options?: HistoryCheckerOptions])[] = [
  [
    'a record that came and went between two sync results',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .list('', [event('a'), event('b')], { sync: 't1' })
      .list('?syncToken=s1', [], { sync: 's2' })
      .list('?syncToken=t1', [gone('b')], { sync: 't2' }),
  ],
  [
    'an occurrence that was cancelled and restored between two sync results',
    madeHistory()
      .list('', [{ ...event('a'), recurringEventId: 'm' }], { sync: 's1' })
      .list('', [], { sync: 't1' })
      .list('?syncToken=s1', [], { sync: 's2' }),
  ],
  [
    'a list that shows a change earlier than the sync result that follows',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .list('', [event('a', 2)], { sync: 't1' })
      .list('?syncToken=s1', [event('a', 2)], { sync: 's2' }),
  ],
  [
    'lists with other filters',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .list('?search=x', [], { sync: 't1' })
      .list('?syncToken=s1', [], { sync: 's2' })
      .list('?syncToken=t1', [], { sync: 't2' }),
  ],
  [
    'a record that leaves the filters of a list by a write',
    madeHistory()
      .list('?search=x', [event('a')], { sync: 's1' })
      .list('', [event('a')], { sync: 't1' })
      .update(event('a', 2))
      .list('?syncToken=s1', [gone('a')], { sync: 's2' })
      .list('?syncToken=t1', [event('a', 2)], { sync: 't2' }),
  ],
  [
    'a read that overtakes a write',
    madeHistory().get('a', event('a')).update(event('a', 2)).sentBefore(1).get('a', event('a')),
  ],
  [
    'a page that shows the moment of the first one, before a write',
    madeHistory()
      .list('?limit=1', [event('a')], { page: 'p1' })
      .update(event('b', 2))
      .list('?limit=1&pageToken=p1', [event('b')], { sync: 's1' }),
  ],
  [
    'a 404 of a proxy between two sights of a record',
    madeHistory()
      .create(event('a'))
      .other('GET', 'events/acc_1/ada%40example.com/a', 404)
      .other('GET', 'events/acc_1/ada%40example.com/a', 404, { error: 'no backend' })
      .get('a', event('a')),
    { isOnlyWriter: true },
  ],
  ['a change by others after a write', madeHistory().update(event('a', 2)).get('a', event('a', 3)).get('a', 404)],
  [
    'a deleted record that others restore',
    madeHistory().get('a', event('a')).remove('a').get('a', 404).get('a', event('a', 3)),
  ],
  [
    'a token that is refused after its lifetime',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .later(30 * 86_400_000)
      .refused('?syncToken=s1', 410, 'SyncTokenExpired'),
  ],
  [
    'a token of a calendar that was gone for a while',
    madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .refused('', 404, 'NotFound')
      .later(3_600_000)
      .refused('?syncToken=s1', 410, 'SyncTokenExpired'),
  ],
  [
    'a repeated creation, answered as the record was then',
    madeHistory().create(event('a'), 'key').update(event('a', 2)).create(event('a'), 'key').get('a', event('a', 2)),
  ],
  [
    'the same record in another zone',
    madeHistory()
      .get('a', { ...event('a'), start: { dateTime: '2026-11-02T09:00:00+01:00', timeZone: 'Europe/Berlin' } } as never)
      .get('a', { ...event('a'), start: { dateTime: '2026-11-02T08:00:00Z', timeZone: 'UTC' } } as never),
  ],
  [
    'an event whose booking the only writer moves, and then cancels',
    madeHistory()
      .create(event('a'))
      .other('PUT', 'bookings/token', 200, {})
      .get('a', event('a', 2))
      .update(event('a', 3))
      .other('DELETE', 'bookings/token', 200, {})
      .get('a', 404),
    { isOnlyWriter: true },
  ],
  [
    'events into which the only writer imports',
    madeHistory()
      .create(event('a'))
      .other('POST', 'calendars/acc_1/ada%40example.com/imports', 202, { id: 'imp_1' })
      .get('a', event('a', 2))
      .update(event('a', 3))
      .get('a', event('a', 4))
      .other('GET', 'calendars/acc_1/ada%40example.com/imports/imp_1', 200, { state: 'finished' }),
    { isOnlyWriter: true },
  ],
  [
    'a meeting of two accounts of the only writer: an answer changes it also after a later write',
    madeHistory()
      .create(meeting('a'))
      .other('POST', `${BOBS}/c/rsvp`, 200, { success: true })
      .other('GET', `${BOBS}/c`, 200, meeting('c'))
      .get('a', meeting('a', 2))
      .update(meeting('a', 3))
      .get('a', meeting('a', 4)),
    { isOnlyWriter: true },
  ],
  [
    'a meeting of two accounts of the only writer, which only one of them reads',
    madeHistory()
      .create(meeting('a'))
      .other('POST', `${BOBS}/c/rsvp`, 200, { success: true })
      .get('a', meeting('a', 2))
      .update(meeting('a', 3))
      .other('DELETE', `${BOBS}/c`, 200, { success: true })
      .get('a', meeting('a', 4)),
    { isOnlyWriter: true },
  ],
  [
    'a meeting that the organizer changes after an invited account of the only writer has deleted it',
    madeHistory()
      .other('GET', `${BOBS}/c`, 200, meeting('c'))
      .other('DELETE', `${BOBS}/c`, 200, { success: true })
      .update(meeting('a', 2))
      .other('GET', `${BOBS}/c`, 200, meeting('c', 2)),
    { isOnlyWriter: true },
  ],
  [
    'a read beside a write of the only writer',
    madeHistory().create(event('a')).get('a', event('a', 2)).sentBefore(1).update(event('a', 2)),
    { isOnlyWriter: true },
  ],
  ['clocks that differ', madeHistory().update(event('a', 3)).get('a', event('a', 2)), { trustsUpdatedAt: false }],
];

it.each(SOUND.map(([what, history, options]) => ({ what, history, options })))('finds nothing in $what', ({
  history,
  options,
}) => {
  expect(violationsOf(history, options)).toEqual([]);
});
