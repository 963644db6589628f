import { expect, it } from 'vitest';
import { leftOutOf } from '../../src/imports/left-out.ts';

const GROUP = { uid: 'a', master: undefined, exceptions: [], unreadable: [] };

const leftOut = (...lines: readonly string[]) =>
  leftOutOf(['BEGIN:VEVENT', 'UID:a', ...lines, 'END:VEVENT', ''].join('\r\n'), GROUP);

it('takes no words of a text for a property, whichever characters stand before them', () => {
  expect(
    leftOut(...['\u2028', '\u2029'].map((end) => `DESCRIPTION:Dear all${end}Salary: 100${end}BEGIN:VALARM`)),
  ).toEqual([]);
  expect(leftOut('SUMMARY:a', ' Salary:100', 'URL:https://example.com/\u2028Salary:100')).toEqual([
    { field: 'URL', rule: 'is not imported' },
  ]);
});

it('names twenty properties and components of an event, and says how many more there are', () => {
  const named = (count: number) => leftOut(...Array.from({ length: count }, (_, index) => `NAME${index}:x`));
  const rule = 'is not imported';
  const twenty = Array.from({ length: 20 }, (_, index) => ({ field: `NAME${index}`, rule }));
  expect(named(20)).toEqual(twenty);
  expect(named(23)).toEqual([...twenty, { field: 'and 3 others', rule: 'are not imported' }]);
  expect(named(21).at(-1)).toEqual({ field: 'and 1 other', rule });
});

it('cuts long names', () => {
  expect(leftOut(`${'n'.repeat(70)}:x`, `${'n'.repeat(71)}:x`)).toEqual([
    { field: 'N'.repeat(64), rule: 'is not imported' },
  ]);
});
