import { expect, it } from 'vitest';
import { z } from 'zod';
import { resolveTimes } from '../../src/events/times/event-times.ts';
import { parseInput } from '../../src/model/index.ts';

it('says of a body that is a list what must be an object', () => {
  expect(() => parseInput(z.strictObject({ title: z.string() }), [])).toThrow(/^the body must be an object$/);
});

it.each([
  ['2026-11-31T09:00:00', 'start.dateTime: is no date of the calendar, or no time of the day'],
  ['2026-11-31', 'start.dateTime: is no date of the calendar, or no time of the day'],
  ['tomorrow', 'start.dateTime: must be an ISO 8601 date-time'],
])('tells a day that does not exist from a text that is no date: %s', (dateTime, message) => {
  expect(() => resolveTimes({ start: { dateTime } }, undefined, 'UTC')).toThrow(message);
});
