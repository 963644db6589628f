import { expect, test } from 'vitest';
import type { WireEvent } from '../../src/events/event-wire.ts';
import { changedSince, createChangeTracker, NO_MARK } from '../../src/sync/recent-changes.ts';

const START = Date.UTC(2026, 0, 10);
const imported = (number: number) =>
  ({
    id: `id-${number}`,
    '@odata.etag': `tag-${number}`,
    lastModifiedDateTime: new Date(START + number).toISOString(),
  }) as WireEvent;

test('of an import that changed thousands within a minute only the latest are remembered', () => {
  const tracker = createChangeTracker(NO_MARK);
  for (let number = 0; number < 20_000; number += 1) tracker.note(imported(number));
  const mark = tracker.mark();
  expect(mark.modifiedAt).toBe(START + 19_999);
  expect(Object.keys(mark.seen)).toEqual(Array.from({ length: 50 }, (_, index) => `id-${19_950 + index}`));
  expect(changedSince(mark)).toBe('lastModifiedDateTime ge 2026-01-09T23:59:19.999Z');
});
