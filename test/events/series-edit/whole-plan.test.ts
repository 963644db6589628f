import type { EventContent, EventPatch, RecurrenceId } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { snapshotOf } from '../../../src/events/series-edit/series-snapshot.ts';
import { planWhole } from '../../../src/events/series-edit/whole-plan.ts';
import { allDay, fakeEvent, newYork } from '../../mirror/fake-events.ts';

const OPTIONS = { calendarZone: 'America/New_York', withAnswers: true };

/** The patch of a series whose occurrence of one day is sent with the times of another. */
function patchOf(content: Partial<EventContent>, slot: RecurrenceId, sent: EventPatch): EventPatch {
  const series = snapshotOf([{ kind: 'series', master: fakeEvent('s', content), exceptions: [] }], 's')!;
  const plan = planWhole(series, slot, sent, OPTIONS);
  if (plan === 'plain') throw new Error('a plan is wanted');
  return plan.patch;
}

/** Nine o'clock in New York. */
const nine = (date: string, offset = '-04:00') => newYork(date, '09:00', '10:00', offset);
const slotAt = (date: string, offset = '-04:00'): RecurrenceId => ({
  kind: 'instant',
  startMs: Date.parse(`${date}T09:00:00${offset}`),
});

describe('a series that moves by one of its later occurrences', () => {
  test.each([
    ['MONTHLY;BYMONTHDAY=28', '2026-01-28', '2026-03-28', '2026-03-30', '2026-01-30', 'MONTHLY;BYMONTHDAY=30'],
    ['MONTHLY', '2026-02-28', '2026-03-28', '2026-04-01', '2026-03-01', 'MONTHLY'],
    [
      'YEARLY;BYMONTHDAY=15;BYMONTH=1',
      '2026-01-15',
      '2028-01-15',
      '2028-03-15',
      '2026-03-15',
      'YEARLY;BYMONTHDAY=15;BYMONTH=3',
    ],
    ['YEARLY', '2023-02-28', '2024-02-28', '2024-03-01', '2023-03-01', 'YEARLY'],
  ])('%s from %s: %s is sent for %s', (rule, first, slot, to, start, moved) => {
    const recurrence = [`RRULE:FREQ=${rule}`];
    const offset = (date: string) => (date > `${date.slice(0, 4)}-03-14` ? '-04:00' : '-05:00');
    const patch = patchOf(
      { ...nine(first, offset(first)), recurrence },
      slotAt(slot, offset(slot)),
      nine(to, offset(to)),
    );
    expect(patch.start).toEqual(nine(start, offset(start)).start);
    expect(patch.recurrence ?? recurrence).toEqual([`RRULE:FREQ=${moved}`]);
  });

  test('of whole days moves in the same way', () => {
    const recurrence = ['RRULE:FREQ=MONTHLY;BYMONTHDAY=28'];
    const content = { ...allDay('2026-02-28', '2026-03-01'), recurrence };
    const patch = patchOf(content, { kind: 'date', date: '2026-03-28' }, allDay('2026-04-01', '2026-04-02'));
    expect(patch).toMatchObject({
      ...allDay('2026-03-01', '2026-03-02'),
      recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=1'],
    });
  });

  test.each([
    ['its first month lacks the day', 'MONTHLY;BYMONTHDAY=28', '2026-03-30'],
    ['another day of the rule falls on the new start', 'MONTHLY;BYMONTHDAY=1,28', '2026-03-29'],
  ])('is refused where %s', (_, rule, to) => {
    const content = { ...nine('2026-02-28', '-05:00'), recurrence: [`RRULE:FREQ=${rule}`] };
    expect(() => patchOf(content, slotAt('2026-03-28'), nine(to))).toThrow(
      expect.objectContaining({ code: 'InvalidRequest', details: [expect.objectContaining({ path: 'start' })] }),
    );
  });
});

test('a series does not move to the second pass of an hour that the clocks repeat', () => {
  const content = { ...newYork('2026-10-25', '01:30', '02:30', '-04:00'), recurrence: ['RRULE:FREQ=WEEKLY'] };
  const slot: RecurrenceId = { kind: 'instant', startMs: Date.parse('2026-11-01T01:30:00-04:00') };
  const sent = newYork('2026-11-01', '01:30', '03:30', '-05:00');
  expect(() => patchOf(content, slot, sent)).toThrow(/^start: .* is the second time that the clocks show it/);
});
