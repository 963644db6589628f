import { type EventTarget, type ProviderEvent, shownContent } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import {
  ADA,
  exceptionsIn,
  exceptionTarget,
  failureOf,
  GRACE,
  primaryOf,
  pullAll,
  single,
  slotOf,
  targetOf,
} from '../harness.ts';
import { at, calendar, DAY, NINE, writingStage } from './writing-stage.ts';

const stage = writingStage();
const { ada, createSeries, events } = stage;

/** More than one record of overrides holds. */
const MANY = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a long name of property ${index}`, 'own']));
const OWN = { privateExtendedProperties: { a: 'own', ...MANY } };

describe('occurrences', () => {
  test('one slot is changed, found by its original start', async () => {
    const series = await createSeries();
    const answer = await events().update(
      ada(),
      calendar,
      slotOf(series, NINE + 2 * DAY),
      { title: 'Special', start: at('2026-03-04T15:00:00+00:00'), end: at('2026-03-04T16:00:00+00:00') },
      {},
    );
    expect(single(answer).content?.title).toBe('Planning');
    const [exception] = exceptionsIn(answer);
    expect(exception).toMatchObject({
      seriesId: series.providerEventId,
      recurrenceId: { kind: 'instant', startMs: NINE + 2 * DAY },
      isCancelled: false,
      content: { title: 'Special', start: at('2026-03-04T15:00:00+00:00'), recurrence: null },
    });
  });

  test('an exception is changed again by its own id and tag', async () => {
    const series = await createSeries();
    const first = exceptionsIn(
      await events().update(ada(), calendar, slotOf(series, NINE + DAY), { title: 'One' }, {}),
    )[0] as ProviderEvent;
    const target = exceptionTarget(series, first);
    const ifMatch = first.providerTag ?? '';
    const second = await events().update(ada(), calendar, target, { title: 'Two' }, { ifMatch });
    expect(exceptionsIn(second).map((event) => event.content?.title)).toEqual(['Two']);
    const stale = events().update(ada(), calendar, target, { title: 'Three' }, { ifMatch });
    expect(await failureOf(stale)).toMatchObject({ reason: 'precondition-failed' });
  });

  test('a slot is cancelled and restored', async () => {
    const series = await createSeries();
    const slot = slotOf(series, NINE + DAY);
    const cancelled = exceptionsIn(await events().delete(ada(), calendar, slot, {}))[0] as ProviderEvent;
    expect(cancelled).toMatchObject({
      isCancelled: true,
      content: null,
      recurrenceId: { kind: 'instant', startMs: NINE + DAY },
    });
    const again = exceptionsIn(await events().delete(ada(), calendar, slot, {}));
    expect(again).toEqual([cancelled]);
    const target = exceptionTarget(series, cancelled);
    const restored = await events().update(ada(), calendar, target, { isCancelled: false, title: 'Back' }, {});
    expect(exceptionsIn(restored)).toMatchObject([
      { isCancelled: false, content: { title: 'Back', start: at('2026-03-03T09:00:00+00:00') } },
    ]);
  });

  test.each([
    ['kalends', { b: '2' }, async (slot: EventTarget) => void (await events().update(ada(), calendar, slot, OWN, {}))],
    [
      'another program',
      {},
      async () => {
        const [{ id }] = (await stage.harness.api(ADA, 'GET', '/calendars/primary/events'))['items'] as [
          { id: string },
        ];
        const extendedProperties = { private: OWN.privateExtendedProperties };
        const path = `/calendars/primary/events/${id}_20260303T090000Z`;
        await stage.harness.api(ADA, 'PATCH', path, { extendedProperties });
      },
    ],
  ])('a slot that comes back follows its series again in what %s had written to it', async (_who, said, write) => {
    const series = await createSeries({ privateExtendedProperties: { a: '1', b: '1' } });
    const slot = slotOf(series, NINE + DAY);
    await write(slot);
    const cancelled = exceptionsIn(await events().delete(ada(), calendar, slot, {}))[0] as ProviderEvent;
    const target = exceptionTarget(series, cancelled);
    const patch = { isCancelled: false, privateExtendedProperties: said };
    const back = exceptionsIn(await events().update(ada(), calendar, target, patch, {}))[0] as ProviderEvent;
    const overrides = {
      customColor: false,
      publicExtendedProperties: [],
      privateExtendedProperties: Object.keys(said),
    };
    expect(back.overrides).toEqual(overrides);
    const later = { privateExtendedProperties: { a: '3', b: '3' } };
    const [after] = await events().update(ada(), calendar, targetOf(series), later, {});
    if (after?.kind !== 'series' || after.master.content === null) throw new Error('no series');
    const shown = shownContent(after.exceptions[0] as ProviderEvent, after.master.content);
    expect(shown?.privateExtendedProperties).toEqual({ a: '3', b: '3', ...said });
  });

  test('a slot that was deleted at Google is not found, and stays deleted, unless it is to come back', async () => {
    const series = await createSeries();
    const slot = slotOf(series, NINE + DAY);
    const path = `/calendars/primary/events/${series.providerEventId}_20260303T090000Z`;
    await stage.harness.api(ADA, 'DELETE', path);
    stage.harness.sandbox.requests.clear();
    for (const patch of [{ title: 'Other' }, { attendees: [{ email: GRACE }] }]) {
      expect(await failureOf(events().update(ada(), calendar, slot, patch, {}))).toMatchObject({ reason: 'not-found' });
    }
    expect(stage.harness.sandbox.requests.list().filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await stage.harness.api(ADA, 'GET', path)).toMatchObject({ status: 'cancelled' });
    await events().update(ada(), calendar, slot, { isCancelled: false, title: 'Back' }, {});
    expect(await stage.harness.api(ADA, 'GET', path)).toMatchObject({ status: 'confirmed', summary: 'Back' });
  });

  test('a slot that is back without its record says so', async () => {
    const series = await createSeries({ privateExtendedProperties: { a: '1' } });
    const slot = slotOf(series, NINE + DAY);
    await events().update(ada(), calendar, slot, { privateExtendedProperties: { a: 'own' } }, {});
    const cancelled = exceptionsIn(await events().delete(ada(), calendar, slot, {}))[0] as ProviderEvent;
    const target = exceptionTarget(series, cancelled);
    const once = { provider: 'google', method: 'PATCH', path: '/calendar/v3/calendars/[^/]+/events/[^/]+' } as const;
    stage.harness.sandbox.faults.arm({ ...once, kind: 'answer', status: 403, body: '{}', skip: 1, times: 1 });
    const call = events().update(ada(), calendar, target, { isCancelled: false }, {});
    // The caller may not read that nothing was done.
    expect(await failureOf(call)).toMatchObject({ reason: 'unavailable' });
    const back = exceptionsIn(await events().get(ada(), calendar, series.providerEventId))[0] as ProviderEvent;
    expect(back.isCancelled).toBe(false);
  });

  test('slots of an all-day series are found by date', async () => {
    const series = await createSeries({
      isAllDay: true,
      start: at('2026-03-02T00:00:00', ''),
      end: at('2026-03-03T00:00:00', ''),
    });
    const recurrenceId = { kind: 'date', date: '2026-03-03' } as const;
    const target = { ...slotOf(series, 0), recurrenceId } as ReturnType<typeof slotOf>;
    const answer = await events().update(ada(), calendar, target, { title: 'Second day' }, {});
    expect(exceptionsIn(answer)).toMatchObject([{ recurrenceId, content: { title: 'Second day', isAllDay: true } }]);
  });

  test('a slot that the series does not have is not found', async () => {
    const series = await createSeries();
    const call = events().update(ada(), calendar, slotOf(series, NINE + 1), { title: 'x' }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
  });

  test("a slot's tag is its series'", async () => {
    const series = await createSeries();
    const slot = slotOf(series, NINE + DAY);
    const call = events().update(ada(), calendar, slot, { title: 'x' }, { ifMatch: '"other"' });
    expect(await failureOf(call)).toMatchObject({ reason: 'precondition-failed' });
    const answer = await events().update(ada(), calendar, slot, { title: 'x' }, { ifMatch: series.providerTag ?? '' });
    expect(exceptionsIn(answer)).toHaveLength(1);
  });

  test('an occurrence has no rule of its own', async () => {
    const series = await createSeries();
    const slot = slotOf(series, NINE + DAY);
    const call = events().update(ada(), calendar, slot, { recurrence: ['RRULE:FREQ=DAILY'] }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'unsupported', field: 'recurrence' });
    const answer = await events().update(ada(), calendar, slot, { recurrence: null, title: 'x' }, {});
    expect(exceptionsIn(answer)).toHaveLength(1);
  });

  test.each([
    ['default', 'private'],
    ['private', 'public'],
    ['private', null],
  ] as const)('a slot of a %s series does not become %s: Google has one visibility for a series', async (of, to) => {
    const series = await createSeries({ visibility: of });
    const slot = slotOf(series, NINE + DAY);
    stage.harness.sandbox.requests.clear();
    const call = events().update(ada(), calendar, slot, { title: 'x', visibility: to }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'unsupported', field: 'visibility' });
    const returns = { keepsAnswers: true };
    const back = events().update(ada(), calendar, slot, { isCancelled: false, visibility: to }, returns);
    expect(await failureOf(back)).toMatchObject({ reason: 'unsupported', field: 'visibility' });
    expect(stage.harness.sandbox.requests.list().filter(({ method }) => method !== 'GET')).toEqual([]);
    const answer = await events().update(ada(), calendar, slot, { title: 'x', visibility: of }, {});
    expect(exceptionsIn(answer)).toMatchObject([{ content: { title: 'x', visibility: of } }]);
    expect(single(answer).content?.visibility).toBe(of);
  });

  test('guests of one slot keep their answers', async () => {
    const series = await createSeries({ attendees: [{ email: GRACE }] });
    const grace = stage.harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), series.providerEventId));
    await events().respond(grace, primaryOf(GRACE), targetOf(copy), 'tentative', {});
    const answer = await events().update(
      ada(),
      calendar,
      slotOf(series, NINE + DAY),
      { attendees: [{ email: GRACE }, { email: 'x@example.com' }] },
      {},
    );
    const guests = exceptionsIn(answer)[0]?.content?.attendees;
    expect(guests?.map(({ responseStatus }) => responseStatus)).toEqual(['tentative', 'needsAction']);
  });
});

describe('orphan instances', () => {
  test('one slot of an unseen series is read, answered and coloured', async () => {
    const { id } = await stage.harness.api(GRACE, 'POST', '/calendars/primary/events', {
      summary: 'Hers',
      start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Europe/London' },
      end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'Europe/London' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const { items } = await stage.harness.api(GRACE, 'GET', `/calendars/primary/events/${id}/instances`);
    const instanceId = (items as { id: string }[])[1]?.id ?? '';
    await stage.harness.api(GRACE, 'PATCH', `/calendars/primary/events/${instanceId}`, { attendees: [{ email: ADA }] });
    const { changes } = await pullAll(events().pull(ada(), calendar, null));
    const orphan = single(changes);
    expect(orphan).toMatchObject({ seriesId: id, recurrenceId: { kind: 'instant', startMs: NINE + DAY } });
    const answered = single(await events().respond(ada(), calendar, targetOf(orphan), 'accepted', {}));
    expect(answered).toMatchObject({ seriesId: id, content: { myResponseStatus: 'accepted', recurrence: null } });
    const patch = { colorId: '5', recurrence: null };
    const coloured = single(await events().update(ada(), calendar, targetOf(answered), patch, {}));
    expect(coloured.content?.colorId).toBe('5');
    const { token } = await pullAll(events().pull(ada(), calendar, null));
    const [deleted] = await events().delete(ada(), calendar, targetOf(coloured), {});
    const [told] = (await pullAll(events().pull(ada(), calendar, token))).changes;
    expect(told).toMatchObject({ kind: 'event', event: { seriesId: id, isCancelled: true, content: null } });
    expect(deleted).toEqual({ kind: 'event', event: { ...(told as { event: object }).event, providerTag: null } });
  });
});
