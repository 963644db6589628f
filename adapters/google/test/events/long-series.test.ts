import type { EventTarget, ProviderEvent } from 'kalends/ports';
import { expect, test } from 'vitest';
import { ADA, exceptionsIn, failureOf, GRACE, primaryOf, single, slotOf } from '../harness.ts';
import { at, calendar, DAY, NINE, writingStage } from './writing-stage.ts';

// UTC, so that every slot is a whole number of days after the first.
const stage = writingStage();
const { ada, events } = stage;
const THOUSANDTH = NINE + 999 * DAY;

function createLong(): Promise<ProviderEvent> {
  return stage.create({
    title: 'Stand-up',
    start: at('2026-03-02T09:00:00+00:00', 'UTC'),
    end: at('2026-03-02T09:15:00+00:00', 'UTC'),
    recurrence: ['RRULE:FREQ=DAILY'],
  });
}

function lookUps(): readonly string[] {
  const { requests } = stage.harness.sandbox;
  return requests.list().flatMap(({ path, query }) => (path.endsWith('/instances') ? [String(query)] : []));
}

test('occurrence 1,000 of an endless daily series is edited after one look-up', async () => {
  const series = await createLong();
  const answer = await events().update(ada(), calendar, slotOf(series, THOUSANDTH), { title: 'Late' }, {});
  expect(exceptionsIn(answer)).toMatchObject([
    { recurrenceId: { kind: 'instant', startMs: THOUSANDTH }, content: { title: 'Late' } },
  ]);
  expect(lookUps()).toHaveLength(1);
});

test('occurrence 1,000 is cancelled after one look-up, and answered', async () => {
  const series = await createLong();
  const answer = await events().delete(ada(), calendar, slotOf(series, THOUSANDTH), {});
  expect(exceptionsIn(answer)).toMatchObject([
    { recurrenceId: { kind: 'instant', startMs: THOUSANDTH }, isCancelled: true },
  ]);
  expect(lookUps()).toHaveLength(1);
});

test('an all-day slot is found in the zone of its calendar, east and west of Greenwich', async () => {
  for (const [person, timeZone] of [
    [ADA, 'Europe/London'],
    [GRACE, 'America/New_York'],
    [GRACE, 'Pacific/Kiritimati'],
  ] as const) {
    await stage.harness.api(person, 'PATCH', '/calendars/primary', { timeZone });
    const ref = { ...primaryOf(person), timeZone };
    const input = {
      title: 'Days',
      isAllDay: true,
      start: at('2026-03-02T00:00:00', ''),
      end: at('2026-03-03T00:00:00', ''),
      recurrence: ['RRULE:FREQ=DAILY'],
    };
    const session = stage.harness.sessionOf(person);
    const requestId = `${timeZone.length}`.padStart(32, 'a');
    const series = single(await events().create(session, ref, input, { requestId }));
    const recurrenceId = { kind: 'date', date: '2028-11-25' } as const;
    const target = { ...slotOf(series, 0), recurrenceId } as EventTarget;
    const before = lookUps().length;
    const answer = await events().update(session, ref, target, { title: 'One day' }, {});
    expect(exceptionsIn(answer)).toMatchObject([{ recurrenceId, content: { title: 'One day' } }]);
    expect(lookUps().length - before).toBe(1);
  }
});

test('a slot that was moved far away meanwhile is still found', async () => {
  const series = await createLong();
  const { items } = await stage.harness.api(
    ADA,
    'GET',
    `/calendars/primary/events/${series.providerEventId}/instances?timeMin=2028-11-24T10:00:00Z&timeMax=2028-11-25T10:00:00Z`,
  );
  const [{ id }] = items as [{ id: string }];
  await stage.harness.api(ADA, 'PATCH', `/calendars/primary/events/${id}`, {
    start: { dateTime: '2028-12-25T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2028-12-25T10:00:00Z', timeZone: 'UTC' },
  });
  const answer = await events().update(ada(), calendar, slotOf(series, THOUSANDTH), { title: 'Found' }, {});
  expect(exceptionsIn(answer)).toMatchObject([
    {
      recurrenceId: { kind: 'instant', startMs: THOUSANDTH },
      content: { title: 'Found', start: { dateTime: '2028-12-25T09:00:00+00:00' } },
    },
  ]);
});

test('a slot that the long series does not have is not found', async () => {
  const series = await createLong();
  const call = events().update(ada(), calendar, slotOf(series, THOUSANDTH + 1), { title: 'x' }, {});
  expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
});
