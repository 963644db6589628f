import type { PrintableEvent, PrintableGroup } from 'kalends/icalendar';
import { expect, it } from 'vitest';
import { distinctGroups } from '../../../src/events/export/distinct-groups.ts';

const event = (second?: number): PrintableEvent => ({
  recurrenceId: second === undefined ? null : { kind: 'instant', startMs: second * 1_000 },
  isCancelled: false,
  content: null,
});
const series = (uid: string, ...slots: readonly number[]): PrintableGroup => ({
  uid,
  master: event(),
  exceptions: slots.map(event),
});
const occurrence = (uid: string, slot: number): PrintableGroup => ({
  uid,
  master: undefined,
  exceptions: [event(slot)],
});

const never = () => undefined;

it('shows a series without an occurrence of it that another calendar has shown', () => {
  const distinct = distinctGroups();
  expect(distinct(occurrence('a', 1), never)).toEqual([occurrence('a', 1)]);
  const cancelled = { ...event(1), isCancelled: true };
  expect(distinct(series('a', 1, 2), never)).toEqual([{ ...series('a', 2), exceptions: [event(2), cancelled] }]);
  expect(distinct(series('a', 1, 2), never)).toEqual([]);
});

it('leaves out all that a shown series has', () => {
  const distinct = distinctGroups();
  expect(distinct(series('a', 1), never)).toEqual([series('a', 1)]);
  expect([distinct(series('a'), never), distinct(occurrence('a', 3), never)]).toEqual([[], []]);
  expect(distinct(series('b'), never)).toEqual([series('b')]);
});

it('shows two occurrences without their series, each once', () => {
  const distinct = distinctGroups();
  expect([1, 2, 1].map((slot) => distinct(occurrence('a', slot), never).length)).toEqual([1, 1, 0]);
});

it('reads each exception once, however many slots the first calendar left out', () => {
  const slots = Array.from({ length: 500 }, (_, index) => index * 60);
  const cancelled = slots.map((slot) => ({ ...event(slot), isCancelled: true }));
  let reads = 0;
  const counted = cancelled.map((exception) => ({
    ...exception,
    get recurrenceId() {
      reads += 1;
      return exception.recurrenceId;
    },
  }));
  const distinct = distinctGroups();
  distinct({ ...series('a'), exceptions: cancelled }, never);
  expect(distinct({ ...series('a'), exceptions: counted }, never)).toEqual([]);
  expect(reads).toBeLessThanOrEqual(2 * slots.length);
});
