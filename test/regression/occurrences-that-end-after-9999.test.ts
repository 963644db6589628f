import { expect, it } from 'vitest';
import { occurrenceContent } from '../../src/events/read/occurrence-content.ts';
import { wallOfText } from '../../src/zones/index.ts';
import { fakeEvent } from '../mirror/fake-events.ts';

/*
 * A master that lasts until the year 9999 has later occurrences that end after it. Their ends were written and could not be read
 * again: a deleted slot, shown with the times of its series, made every list of the calendar a 500.
 */
it.each([true, false])('an occurrence ends with the last time that can be shown (all-day: %s)', (isAllDay) => {
  const { content } = fakeEvent('series');
  if (content === null) throw new Error('a fake event has content');
  const startMs = Date.UTC(2027, 2, 8);
  type Master = Parameters<typeof occurrenceContent>[0];
  const compiled = { isAllDay, endOf: () => Date.UTC(10_000, 0, 3) } as unknown as Master['compiled'];
  const { end } = occurrenceContent({ content, compiled }, { startMs, wallMs: startMs });
  expect(end.dateTime).toMatch(/^9999-12-3/);
  if (isAllDay) expect(wallOfText(end.dateTime)).toBeGreaterThan(startMs);
});
