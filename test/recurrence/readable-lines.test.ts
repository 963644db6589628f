import { readableLines } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';

const TIMED = { isAllDay: false, firstMs: Date.UTC(2000, 0), lastMs: Date.UTC(2100, 0) };
const RULE = 'RRULE:FREQ=DAILY;COUNT=5';

test('lines that can all be read stay exactly as given', () => {
  const lines = ['rrule:freq=daily;', 'EXDATE;TZID=Europe/Paris:20260303T\r\n 090000', ' ', 'RDATE:'];
  expect(readableLines(lines, TIMED)).toEqual({ lines, faults: [] });
  expect(readableLines(lines, TIMED).lines).toBe(lines);
  expect(readableLines([], TIMED)).toEqual({ lines: [], faults: [] });
});

describe('a line that cannot be read costs that line alone', () => {
  test.each([
    ['another property', 'X-OTHER:Confidential', 'X-OTHER cannot be read'],
    ['a frequency that is none', 'RRULE:FREQ=Confidential', 'FREQ cannot be read'],
    ['a date that is none', 'EXDATE:Confidential', 'EXDATE cannot be read'],
    ['a property without a value', 'RRULE;Confidential', 'RRULE cannot be read'],
    ['prose', 'Confidential talk', 'a line cannot be read'],
    ['prose with a colon', 'Confidential talk: at noon', 'a line cannot be read'],
    ['prose for a rule', 'RRULE:Confidential talk=5', 'a line cannot be read'],
    ['an unknown part of a rule', 'RRULE:FREQ=DAILY;CONFIDENTIAL=5', 'a line cannot be read'],
    [
      'a date after the last year',
      'RDATE:21000102T000000Z',
      'RDATE must be a time of the years 1 to 9999 in every time zone',
    ],
    [
      'a date before the first year',
      'RDATE:19991231T000000Z,20260101T000000Z',
      'RDATE must be a time of the years 1 to 9999 in every time zone',
    ],
  ])('%s', (_, odd, fault) => {
    const others = [RULE, 'EXDATE:20260303T090000Z'];
    for (const lines of [
      [odd, ...others],
      [RULE, odd, others[1] as string],
      [...others, odd],
    ]) {
      expect(readableLines(lines, TIMED)).toEqual({ lines: others, faults: [fault] });
    }
    expect(readableLines([odd], TIMED)).toEqual({ lines: [], faults: [fault] });
  });

  test('with all of its folded parts', () => {
    const lines = ['RRULE:FREQ=DAI', ' LY', 'RRULE:FREQ=LU', ' NAR', 'EXDATE:20260303T090000Z'];
    expect(readableLines(lines, TIMED)).toEqual({
      lines: ['RRULE:FREQ=DAILY', 'EXDATE:20260303T090000Z'],
      faults: ['FREQ cannot be read'],
    });
  });

  test('each with its fault, in order', () => {
    expect(readableLines(['EXDATE:x', RULE, 'RDATE:x'], TIMED).faults).toEqual([
      'EXDATE cannot be read',
      'RDATE cannot be read',
    ]);
  });
});

test('dates at the limits are within them', () => {
  const lines = ['RDATE:20000101T000000Z,21000101T000000Z'];
  expect(readableLines(lines, TIMED)).toEqual({ lines, faults: [] });
});

test('an all-day series has no frequency below a day', () => {
  const lines = ['RRULE:FREQ=HOURLY', 'EXRULE:FREQ=MINUTELY', 'RRULE:FREQ=WEEKLY'];
  const fault = 'FREQ must be DAILY or longer for an all-day series';
  expect(readableLines(lines, { ...TIMED, isAllDay: true })).toEqual({
    lines: ['RRULE:FREQ=WEEKLY'],
    faults: [fault, fault],
  });
  expect(readableLines(lines, TIMED)).toEqual({ lines, faults: [] });
});

test('lines of which each can be read and all together are too many leave none', () => {
  const lines = Array.from({ length: 1_001 }, () => RULE);
  expect(readableLines(lines, TIMED)).toEqual({ lines: [], faults: ['RRULE cannot be read'] });
  expect(readableLines(lines.slice(1), TIMED).faults).toEqual([]);
});
