import { expect, test } from 'vitest';
import { createCompiledMasters } from '../../src/mirror/compiled-masters.ts';
import { eventWrite } from '../../src/mirror/stored-event.ts';
import { fakeEvent } from './fake-events.ts';

const lines = (count: number) => [
  'RRULE:FREQ=DAILY',
  ...Array.from({ length: count }, (_, index) => `EXDATE:${20_260_101 + (index % 28)}T090000Z`),
];
const content = (count: number) => fakeEvent('s', { recurrence: lines(count) }).content!;

test('a master is compiled once for each content', () => {
  const masters = createCompiledMasters();
  const first = masters.get('a', content(3));
  expect(masters.get('a', content(3))).toBe(first);
  expect(masters.get('b', content(4))).not.toBe(first);
});

test('the most recently used masters are cached, up to the size limit', () => {
  const sizeOfOne = (() => {
    const masters = createCompiledMasters();
    masters.get('a', content(100));
    return masters.size();
  })();
  const masters = createCompiledMasters(3 * sizeOfOne);
  const [a, b] = ['a', 'b', 'c'].map((hash) => masters.get(hash, content(100)));
  expect(masters.get('a', content(100))).toBe(a);
  masters.get('d', content(100));
  expect(masters.size()).toBe(3 * sizeOfOne);
  expect(masters.get('a', content(100))).toBe(a);
  expect(masters.get('b', content(100))).not.toBe(b);
});

test('a master larger than the limit is not cached and evicts no other', () => {
  const masters = createCompiledMasters(10_000);
  const small = masters.get('small', content(1));
  const large = masters.get('large', content(1_000));
  expect(masters.get('large', content(1_000))).not.toBe(large);
  expect(masters.get('small', content(1))).toBe(small);
});

test('masters with other slots have other hashes', () => {
  const of = (changes: Parameters<typeof fakeEvent>[1]) => {
    const write = eventWrite(fakeEvent('s', { recurrence: ['RRULE:FREQ=DAILY'], ...changes }), 1);
    return write.etag;
  };
  const hashes = [
    of({}),
    of({ recurrence: ['RRULE:FREQ=DAILY', 'EXDATE:20260303T140000Z'] }),
    of({ start: { dateTime: '2026-03-02T08:00:00-05:00', timeZone: 'America/New_York' } }),
    of({ end: { dateTime: '2026-03-02T11:00:00-05:00', timeZone: 'America/New_York' } }),
    of({ start: { dateTime: '2026-03-02T09:00:00-05:00', timeZone: 'America/Panama' } }),
    of({ isAllDay: true }),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});
