import type { EventChange, ItemVersion, ProviderEvent } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { findMovedSeries } from '../../src/mirror/moved-series.ts';
import { planChanges } from '../../src/mirror/plan-changes.ts';
import { eventWrite } from '../../src/mirror/stored-event.ts';
import { allDay, fakeEvent, fakeException, newYork } from './fake-events.ts';

const DAILY = { ...newYork('2026-03-02', '09:00', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
const OTHER_DAYS = { ...DAILY, recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=5'] };
const SERIES = fakeEvent('s', DAILY);
const KEPT = { isKeptLocally: true } as const;

const slot = (day: number) => ({ kind: 'instant', startMs: Date.UTC(2026, 2, day, 14) }) as const;
const exception = (day: number, title = 'x') => fakeException(`x${day}`, 's', slot(day), { title });
const idOf = (day: number) => `s_2026030${day}T140000Z`;
const whole = (master: ProviderEvent, ...exceptions: readonly ProviderEvent[]): EventChange => ({
  kind: 'series',
  master,
  exceptions,
});
const alone = (event: ProviderEvent): EventChange => ({ kind: 'event', event });

function versionOf(event: ProviderEvent): ItemVersion {
  const { privateContent = null, ...write } = eventWrite(event, 1);
  return { ...write, privateContent, fromRevision: 1 };
}

/** Plans changes over the given mirror, and shows each write by its title: null is a deletion. */
async function plan(present: readonly ProviderEvent[], ...changes: readonly EventChange[]) {
  const items = present.map(versionOf);
  const { writes, rereads } = await planChanges(changes, {
    lane: 'app',
    mappingVersion: 1,
    readGroups: async (ids) => items.filter(({ groupId }) => ids.includes(groupId)),
    readItems: async (ids) => items.filter(({ itemId }) => ids.includes(itemId)),
    followsMasters: true,
  });
  const shown = writes.map(({ itemId, content }) => [
    itemId,
    (content as ProviderEvent | null)?.content?.title ?? null,
  ]);
  return { writes: Object.fromEntries(shown), rereads };
}

describe('a cancelled event', () => {
  test('is written when it has content, and removed without', async () => {
    const cancelled = fakeEvent('a', {}, { isCancelled: true });
    expect((await plan([], alone(cancelled))).writes).toEqual({ a: 'a' });
    expect((await plan([], alone({ ...cancelled, content: null }))).writes).toEqual({ a: null });
  });
});

describe('a deleted series', () => {
  const deleted = { kind: 'deleted', providerEventId: 's' } as const;
  const cancelled = { ...exception(5), isCancelled: true, content: null };

  test('takes its exceptions along', async () => {
    const { writes, rereads } = await plan([SERIES, exception(3), cancelled], deleted);
    expect(writes).toEqual({ s: null, [idOf(3)]: null, [idOf(5)]: null });
    expect(rereads).toEqual([]);
  });

  test('leaves those that may live on until they have been read', async () => {
    const { writes, rereads } = await plan([SERIES, exception(3), cancelled], { ...deleted, exceptionsMayStay: true });
    expect(writes).toEqual({ s: null, [idOf(5)]: null });
    expect(rereads).toEqual(['x3']);
  });

  test('leaves one that the same changes name', async () => {
    const named = { kind: 'reread', providerEventId: 'x4' } as const;
    const { writes, rereads } = await plan([SERIES, exception(3), exception(4)], deleted, named);
    expect(writes).toEqual({ s: null, [idOf(3)]: null });
    expect(rereads).toEqual(['x4']);
  });
});

describe('a master whose slots changed', () => {
  test('is read again only when it has exceptions', async () => {
    const moved = alone(fakeEvent('s', OTHER_DAYS));
    expect((await plan([SERIES], moved)).rereads).toEqual([]);
    expect((await plan([SERIES, exception(3)], moved)).rereads).toEqual(['s']);
  });

  test('is a series: a single event at another time is not', async () => {
    const changes = [alone(fakeEvent('a', newYork('2026-03-09', '09:00', '10:00')))];
    expect(await findMovedSeries(changes, async () => [versionOf(fakeEvent('a'))])).toEqual(new Set());
  });
});

describe('a local-only exception', () => {
  const kept = { ...exception(3, 'kept'), ...KEPT };

  test('stays alone when its series is told whole: the others are written and removed', async () => {
    const change = whole(fakeEvent('s', { ...DAILY, title: 'new' }), exception(5, 'changed'));
    const { writes } = await plan([SERIES, kept, exception(4), exception(5)], change);
    expect(writes).toEqual({ s: 'new', [idOf(4)]: null, [idOf(5)]: 'changed' });
  });

  test('is removed when its slot is no more', async () => {
    const { writes } = await plan([SERIES, kept], whole(fakeEvent('s', { ...OTHER_DAYS, title: 'new' })));
    expect(writes).toEqual({ s: 'new', [idOf(3)]: null });
  });

  test('stays when its day cannot be compared with the slots of a series that gets times', async () => {
    const days = fakeEvent('s', { ...allDay('2026-03-02', '2026-03-03'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    const date = { kind: 'date', date: '2026-03-03' } as const;
    const { writes } = await plan(
      [days, { ...fakeException('x', 's', date, { title: 'kept', ...allDay('2026-03-03', '2026-03-04') }), ...KEPT }],
      whole(fakeEvent('s', { ...DAILY, title: 'new' })),
    );
    expect(writes).toEqual({ s: 'new' });
  });
});

test('a local-only series keeps its exceptions, and takes what is told of them after its removal', async () => {
  const present = [{ ...SERIES, ...KEPT }, exception(3), exception(4)];
  const deleted = { kind: 'deleted', providerEventId: 's' } as const;
  expect((await plan(present, deleted)).writes).toEqual({});
  expect((await plan(present, deleted, alone(exception(4, 'told')))).writes).toEqual({ [idOf(4)]: 'told' });
});
