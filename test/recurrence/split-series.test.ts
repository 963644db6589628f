import { compileSeries, type SeriesDefinition, splitSeries } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';

const ZONE = 'America/New_York';
const split = (dtstart: string, lines: readonly string[], at: string, timeZone: string | null = ZONE) =>
  splitSeries({ dtstart, timeZone, lines }, { startMs: Date.parse(at) });

const startsOf = (definition: SeriesDefinition) =>
  compileSeries(definition)
    .occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY })
    .map(({ startMs }) => new Date(startMs).toISOString());

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

  test('with gap skip counts no slots that a gap leaves out', () => {
    const definition = { dtstart: '2026-03-06T02:30:00', timeZone: ZONE, gap: 'skip' as const };
    const whole = { ...definition, lines: ['RRULE:FREQ=DAILY;COUNT=5'] };
    const { before, after } = splitSeries(whole, { startMs: Date.parse('2026-03-10T06:30:00Z') });
    expect(before?.lines).toEqual(['RRULE:FREQ=DAILY;COUNT=3']);
    expect(after).toEqual({ dtstart: '2026-03-10T02:30:00', lines: ['RRULE:FREQ=DAILY;COUNT=2'] });
    expect([before, after].flatMap((half) => startsOf({ ...definition, ...half! }))).toEqual(startsOf(whole));
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
  });

  test('begins no half where the windows of an hourly rule would begin at another minute', () => {
    const halves = (rule: string, at: string) => {
      const whole = { dtstart: '2026-04-04T22:10:00', timeZone: 'Australia/Lord_Howe', lines: [`RRULE:FREQ=${rule}`] };
      const { before, after } = splitSeries(whole, { startMs: Date.parse(at) });
      expect([before, after].flatMap((half) => startsOf({ ...whole, ...half! }))).toEqual(startsOf(whole));
    };
    const every2 = 'HOURLY;INTERVAL=2;BYMINUTE=10,40;COUNT=20';
    expect(() => halves(every2, '2026-04-04T15:40:00Z')).toThrow('2026-04-05T02:10:00 is within an hour that');
    expect(() => halves('HOURLY;BYMINUTE=10,40;BYSETPOS=1;COUNT=20', '2026-04-04T16:10:00Z')).toThrow(
      '2026-04-05T02:40:00 is within an hour that',
    );
    halves(every2, '2026-04-04T13:10:00Z');
    halves('HOURLY;BYMINUTE=10,40;COUNT=20', '2026-04-04T15:40:00Z');
    halves('HOURLY;INTERVAL=2;COUNT=20', '2026-04-04T17:10:00Z');
    halves('MINUTELY;INTERVAL=20;BYSECOND=0,30;COUNT=40', '2026-04-04T15:30:00Z');
  });

  test.each([
    ['was taken out', 'America/New_York', '2026-03-02T09:00:00', '2026-03-06T14:00:00Z', 'T140000Z'],
    ['was taken out, of a floating series', null, '2026-03-02T09:00:00', '2026-03-06T09:00:00Z', 'T090000'],
    ['was taken out, of days', null, '2026-03-02', '2026-03-06T00:00:00Z', ''],
  ])('leaves out the start of a series of dates alone that %s', (_which, timeZone, dtstart, at, time) => {
    const type = time === '' ? ';VALUE=DATE' : '';
    const lines = [
      `RDATE${type}:20260304${time},20260306${time},20260308${time}`,
      `EXDATE${type}:20260302${time},20260303${time}`,
    ];
    const { before, after } = split(dtstart, lines, at, timeZone);
    expect(before).toEqual({
      dtstart,
      lines: [`RDATE${type}:20260304${time}`, `EXDATE${type}:20260302${time},20260303${time}`],
    });
    expect(after).toEqual({
      dtstart: dtstart.replace('-02', '-06'),
      lines: [`RDATE${type}:20260308${time}`],
    });
  });

  test('leaves out the start of a series of dates alone that is no earlier than the split', () => {
    const dates = ['RDATE:20260227T140000Z,20260228T140000Z'];
    expect(split('2026-03-02T09:00:00', dates, '2026-02-28T14:00:00Z')).toEqual({
      before: { dtstart: '2026-03-02T09:00:00', lines: ['RDATE:20260227T140000Z', 'EXDATE:20260302T140000Z'] },
      after: { dtstart: '2026-02-28T09:00:00', lines: ['RDATE:20260302T140000Z'] },
    });
  });

  test('keeps dates in the second pass of a repeated hour, and their own lengths', () => {
    const lines = ['RDATE;VALUE=PERIOD:20261101T060000Z/PT3H', 'RDATE:20261102T060000Z', 'EXDATE:20261031T050000Z'];
    expect(split('2026-10-31T01:00:00', lines, '2026-11-02T06:00:00Z').before).toEqual({
      dtstart: '2026-10-31T01:00:00',
      lines: ['RDATE;VALUE=PERIOD:20261101T060000Z/PT10800S', 'EXDATE:20261031T050000Z'],
    });
    const own = ['RDATE;VALUE=PERIOD:20261030T050000Z/PT3H', 'RDATE:20261102T060000Z'];
    expect(split('2026-10-30T01:00:00', own, '2026-11-02T06:00:00Z').before).toEqual({
      dtstart: '2026-10-30T01:00:00',
      lines: ['RDATE;VALUE=PERIOD:20261030T050000Z/PT10800S'],
    });
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

  test('keeps the times of RDATEs that are days where the later half begins at another time of day', () => {
    const lines = [
      'RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,17;COUNT=8',
      'RDATE;VALUE=DATE:20260104,20260121',
      'EXDATE;VALUE=DATE:20260119',
    ];
    const whole = { dtstart: '2026-01-05T09:00:00', timeZone: ZONE, lines };
    const { before, after } = splitSeries(whole, { startMs: Date.parse('2026-01-05T22:00:00Z') });
    expect(before?.lines).toContain('RDATE;VALUE=DATE:20260104');
    expect(after.lines).toContain('RDATE:20260121T140000Z');
    expect([before, after].flatMap((half) => startsOf({ ...whole, ...half! }))).toEqual(startsOf(whole));
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
