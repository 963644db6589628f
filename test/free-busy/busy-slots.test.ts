import { allDaySlot, busySlots } from 'kalends/free-busy';
import { expect, test } from 'vitest';

const at = (hour: number) => Date.UTC(2026, 0, 5, hour);
const event = (from: number, to: number, more = {}) => ({ startMs: at(from), endMs: at(to), ...more });
const window = { startMs: at(8), endMs: at(18) };
const hours = (events: Parameters<typeof busySlots>[0]) =>
  busySlots(events, window).map(({ startMs, endMs }) => [
    new Date(startMs).getUTCHours(),
    new Date(endMs).getUTCHours(),
  ]);

test('events in any order are merged, touching ones too', () => {
  expect(hours([event(14, 15), event(9, 11), event(11, 12), event(10, 10), event(16, 17)])).toEqual([
    [9, 12],
    [14, 15],
    [16, 17],
  ]);
});

test('cancelled, transparent and declined events take no time; tentative and unanswered ones do', () => {
  expect(
    hours([
      event(9, 10, { isCancelled: true }),
      event(10, 11, { transparency: 'transparent' }),
      event(11, 12, { myResponseStatus: 'declined' }),
      event(12, 13, { myResponseStatus: 'tentative', transparency: 'opaque', isCancelled: false }),
      event(14, 15, { myResponseStatus: 'needsAction', transparency: null }),
    ]),
  ).toEqual([
    [12, 13],
    [14, 15],
  ]);
});

test('slots are cut at the edges of the window, and events of no length take no time', () => {
  expect(hours([event(6, 9), event(17, 20), event(10, 10), event(5, 8), event(18, 19)])).toEqual([
    [8, 9],
    [17, 18],
  ]);
});

test('an all-day event is busy from midnight to midnight of the calendar', () => {
  const day = allDaySlot(Date.UTC(2026, 2, 8), Date.UTC(2026, 2, 9), 'America/New_York');
  expect(busySlots([day], { startMs: Date.UTC(2026, 2, 1), endMs: Date.UTC(2026, 3, 1) })).toEqual([
    { startMs: Date.UTC(2026, 2, 8, 5), endMs: Date.UTC(2026, 2, 9, 4) },
  ]);
});
