import { type IcsGroup, printEvents, readCalendars } from 'kalends/icalendar';
import { expect, test } from 'vitest';
import { SHAPES, textOf } from './shapes.ts';

const OPTIONS = { calendarZone: 'Europe/Berlin', self: ['ME@example.com'] };

function read(text: string): readonly IcsGroup[] {
  return readCalendars(text, OPTIONS)[0]?.groups ?? [];
}

test('there are more than a hundred shapes', () => {
  expect(SHAPES.length).toBeGreaterThan(100);
});

test.each(SHAPES.map((shape) => [shape.name, shape] as const))('reads %s', (_name, shape) => {
  const [group] = read(textOf(shape));
  expect(group?.unreadable).toEqual([]);
  expect(group?.master?.content).toMatchObject(shape.content);
});

test.each(SHAPES.map((shape) => [shape.name, shape] as const))('prints what it has read of %s', (_name, shape) => {
  const groups = read(textOf(shape));
  const printed = printEvents(groups, { timeZone: 'Europe/Berlin' });
  expect(printEvents(read(printed), { timeZone: 'Europe/Berlin' })).toBe(printed);
});
