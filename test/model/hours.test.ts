import { dayHours, weeklyHours } from 'kalends/model';
import { expect, test } from 'vitest';

test.each([
  [dayHours, {}],
  [weeklyHours, { days: ['MO'] }],
])('hours begin before 24:00, and may end then', (schema, rest) => {
  expect(schema.safeParse({ ...rest, start: '23:59', end: '24:00' }).success).toBe(true);
  expect(schema.safeParse({ ...rest, start: '24:00', end: '01:00' }).error?.issues[0]?.path).toEqual(['start']);
});
