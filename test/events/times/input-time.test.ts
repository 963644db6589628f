import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInputTime } from '../../../src/events/times/input-time.ts';

describe('what callers write as a time', () => {
  it.each([
    ['2026-03-01', Date.UTC(2026, 2, 1), undefined, true],
    ['20260301', Date.UTC(2026, 2, 1), undefined, true],
    ['2026-03-01T09:00', Date.UTC(2026, 2, 1, 9), undefined, false],
    ['2026-03-01T09:00:30', Date.UTC(2026, 2, 1, 9, 0, 30), undefined, false],
    ['20260301T090000Z', Date.UTC(2026, 2, 1, 9), 0, false],
    ['2026-03-01t09:00:00z', Date.UTC(2026, 2, 1, 9), 0, false],
    ['2026-03-01T09:00:00.1234567+05:45', Date.UTC(2026, 2, 1, 9, 0, 0, 123), 20_700_000, false],
    ['2026-03-01T09:00:00-0330', Date.UTC(2026, 2, 1, 9), -12_600_000, false],
    ['2024-02-29T00:00:00+14:00', Date.UTC(2024, 1, 29), 50_400_000, false],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59), 0, false],
  ])('%s', (text, wallMs, offsetMs, dateOnly) => {
    expect(parseInputTime(text)).toEqual({ wallMs, offsetMs, dateOnly });
  });

  it.each([
    '',
    'now',
    'T09:00',
    '2026',
    '2026-03',
    '2026-W10-1',
    '2026-060',
    '2026-02-29',
    '2026-02-30T09:00:00',
    '2026-13-01',
    '2026-03-01T25:00:00',
    '2026-03-01T09:60',
    '2026-03-01 09:00',
    '2026-03-01T09:00:00[Europe/Berlin]',
    '2026-03-01Z',
    '2026-03-01T09:00:00+99:99',
    '2026-03-01T09:00:00+24:00',
    '2026-03-01T09:00:00-01:60',
    '+012026-03-01',
    '0000-01-01',
    ' 2026-03-01',
    '2026-03-01\n',
  ])('refuses %j', (text) => {
    expect(parseInputTime(text)).toBeUndefined();
  });

  it('reads every text that Date writes', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          expect(parseInputTime(date.toISOString())).toEqual({ wallMs: date.getTime(), offsetMs: 0, dateOnly: false });
        },
      ),
    );
  });

  it('reads anything without throwing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseInputTime(text)));
  });
});
