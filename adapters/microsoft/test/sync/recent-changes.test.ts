import { expect, test } from 'vitest';
import type { WireEvent } from '../../src/events/event-wire.ts';
import { changedSince, createChangeTracker, isSeen, markOf, NO_MARK } from '../../src/sync/recent-changes.ts';

const START = Date.UTC(2026, 0, 10);
const imported = (number: number) =>
  ({
    id: `id-${number}`,
    '@odata.etag': `tag-${number}`,
    lastModifiedDateTime: new Date(START + number).toISOString(),
  }) as WireEvent;

test('of an import that changed thousands within a minute only the latest are remembered', () => {
  const tracker = createChangeTracker(NO_MARK, START + 20_000);
  for (let number = 0; number < 20_000; number += 1) tracker.note(imported(number));
  const mark = tracker.mark();
  expect(mark.modifiedAt).toBe(START + 19_999);
  expect(Object.keys(mark.seen)).toEqual(Array.from({ length: 50 }, (_, index) => `id-${19_950 + index}`));
  expect(changedSince(mark)).toBe('lastModifiedDateTime ge 2026-01-09T23:59:19.999Z');
});

test('a time of change in the future moves the mark to the time of the request, and the event is remembered', () => {
  const later = { ...imported(0), lastModifiedDateTime: '9000-01-01T00:00:00Z' };
  const tracker = createChangeTracker(NO_MARK, START);
  tracker.note(later);
  const mark = tracker.mark();
  expect(mark.modifiedAt).toBe(START);
  expect(isSeen(mark, later)).toBe(true);
});

test('a token whose mark lies in the future goes on from the time of the request', () => {
  const token = { v: 2, feed: null, refusal: null, askedAt: { feed: 0, search: 0 }, seen: {} } as const;
  expect(markOf({ ...token, modifiedAt: START + 1 }, START).modifiedAt).toBe(START);
  expect(markOf({ ...token, modifiedAt: START - 1 }, START).modifiedAt).toBe(START - 1);
});
