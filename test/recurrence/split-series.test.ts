import { compileSeries, splitSeries } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';

const ZONE = 'America/New_York';
const split = (dtstart: string, lines: readonly string[], at: string, timeZone: string | null = ZONE) =>
  splitSeries({ dtstart, timeZone, lines }, { startMs: Date.parse(at) });

describe('splitSeries', () => {
  test('divides COUNT', () => {
    expect(split('2026-01-05T09:00:00', ['RRULE:FREQ=WEEKLY;COUNT=10'], '2026-01-26T14:00:00Z')).toEqual({
      before: { dtstart: '2026-01-05T09:00:00', lines: ['RRULE:FREQ=WEEKLY;COUNT=3'] },
      after: { dtstart: '2026-01-26T09:00:00', lines: ['RRULE:FREQ=WEEKLY;COUNT=7'] },
    });
  });

  test('ends the earlier half by an UNTIL where its COUNT would reach a slot that a gap merges with the first of the later', () => {
    const lines = ['RRULE:FREQ=DAILY;BYHOUR=2,3;COUNT=6'];
    expect(split('2026-03-07T02:30:00', lines, '2026-03-08T07:30:00Z')).toEqual({
      before: { dtstart: '2026-03-07T02:30:00', lines: ['RRULE:FREQ=DAILY;UNTIL=20260308T072959Z;BYHOUR=2,3'] },
      after: { dtstart: '2026-03-08T03:30:00', lines: ['RRULE:FREQ=DAILY;COUNT=3;BYHOUR=2,3'] },
    });
  });

  test('begins no half at the second pass of an hour that the clocks repeat, which no wall time names', () => {
    const dates = ['RDATE:20261101T053000Z,20261101T063000Z,20261102T060000Z'];
    expect(() => split('2026-10-31T01:00:00', dates, '2026-11-01T06:30:00Z')).toThrow(
      '2026-11-01T01:30:00 is ambiguous',
    );
    expect(split('2026-10-31T01:00:00', dates, '2026-11-01T05:30:00Z').after).toEqual({
      dtstart: '2026-11-01T01:30:00',
      lines: ['RDATE:20261101T063000Z,20261102T060000Z'],
    });
    const second = ['RDATE:20261101T060000Z,20261102T060000Z', 'EXDATE:20261031T050000Z'];
    expect(() => split('2026-10-31T01:00:00', second, '2026-11-02T06:00:00Z')).toThrow(
      '2026-11-01T01:00:00 is ambiguous',
    );
  });

  test('cuts an endless rule by an UNTIL in UTC, and a floating one by a local UNTIL', () => {
    expect(split('2026-01-05T09:00:00', ['RRULE:FREQ=WEEKLY'], '2026-01-26T14:00:00Z')).toEqual({
      before: { dtstart: '2026-01-05T09:00:00', lines: ['RRULE:FREQ=WEEKLY;UNTIL=20260126T135959Z'] },
      after: { dtstart: '2026-01-26T09:00:00', lines: ['RRULE:FREQ=WEEKLY'] },
    });
    const floating = split('2026-01-05T09:00:00', ['RRULE:FREQ=WEEKLY'], '2026-01-26T09:00:00Z', null);
    expect(floating.before?.lines).toEqual(['RRULE:FREQ=WEEKLY;UNTIL=20260126T085959']);
  });

  test('keeps UNTIL in the new half', () => {
    const halves = split('2026-01-05', ['RRULE:FREQ=DAILY;UNTIL=20260110'], '2026-01-08T00:00:00Z', null);
    expect(halves).toEqual({
      before: { dtstart: '2026-01-05', lines: ['RRULE:FREQ=DAILY;UNTIL=20260107'] },
      after: { dtstart: '2026-01-08', lines: ['RRULE:FREQ=DAILY;UNTIL=20260110'] },
    });
  });

  test('deals EXDATE and RDATE to the halves, a date that cuts a whole day to both', () => {
    const lines = [
      'RRULE:FREQ=DAILY',
      'RDATE:20260106T200000Z,20260120T200000Z',
      'EXDATE;TZID=America/New_York:20260107T090000,20260117T090000',
      'EXDATE;VALUE=DATE:20260108',
    ];
    const { before, after } = split('2026-01-05T09:00:00', lines, '2026-01-10T14:00:00Z');
    expect(before?.lines).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20260110T135959Z',
      'RDATE:20260106T200000Z',
      'EXDATE;TZID=America/New_York:20260107T090000',
      'EXDATE;VALUE=DATE:20260108',
    ]);
    expect(after.lines).toEqual([
      'RRULE:FREQ=DAILY',
      'RDATE:20260120T200000Z',
      'EXDATE;TZID=America/New_York:20260117T090000',
      'EXDATE;VALUE=DATE:20260108',
    ]);
  });

  test('keeps the phase of an interval', () => {
    const { after } = split(
      '2026-01-05T09:00:00',
      ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR'],
      '2026-01-23T14:00:00Z',
    );
    const found = compileSeries({ ...after, timeZone: ZONE }).occurrences({
      from: 0,
      to: Number.POSITIVE_INFINITY,
      limit: 3,
    });
    expect(found.map((slot) => new Date(slot.wallMs).toISOString().slice(0, 10))).toEqual([
      '2026-01-23',
      '2026-02-02',
      '2026-02-06',
    ]);
  });

  test('at the first slot leaves nothing before it', () => {
    const { before, after } = split('2026-01-05T09:00:00', ['RRULE:FREQ=DAILY;COUNT=2'], '2026-01-05T14:00:00Z');
    expect(before).toBeUndefined();
    expect(after).toEqual({ dtstart: '2026-01-05T09:00:00', lines: ['RRULE:FREQ=DAILY;COUNT=2'] });
  });

  test('at an RDATE after the end of the rule leaves dates alone', () => {
    const lines = ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20260201T140000Z,20260202T140000Z'];
    expect(split('2026-01-05T09:00:00', lines, '2026-02-01T14:00:00Z')).toEqual({
      before: { dtstart: '2026-01-05T09:00:00', lines: ['RRULE:FREQ=DAILY;COUNT=2'] },
      after: { dtstart: '2026-02-01T09:00:00', lines: ['RDATE:20260202T140000Z'] },
    });
  });

  test.each([
    ['split', ['RRULE:FREQ=DAILY'], '2026-01-06T15:00:00Z'],
    ['split', ['RRULE:FREQ=DAILY', 'EXDATE:20260106T140000Z'], '2026-01-06T14:00:00Z'],
    ['RRULE', ['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'], '2026-01-06T14:00:00Z'],
    ['EXRULE', ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY'], '2026-01-06T14:00:00Z'],
  ])('refuses what it cannot do, naming %s', (part, lines, at) => {
    expect(() => split('2026-01-05T09:00:00', lines, at)).toThrow(expect.objectContaining({ part }));
  });
});
