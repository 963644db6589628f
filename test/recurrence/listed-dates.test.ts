import fc from 'fast-check';
import { compileSeries } from 'kalends/recurrence';
import { createIntlSource, createZones } from 'kalends/zones';
import { describe, expect, test } from 'vitest';
import { slowInstantOf, slowWallAt } from '../zones/slow-zone.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const basic = (wallMs: number) => new Date(wallMs).toISOString().replaceAll(/[-:]/g, '').slice(0, 15);

/** Zones of series and of dates, around changes of their clocks; one of them is unknown. */
const PLACES: readonly (readonly [zone: string, other: string, near: string])[] = [
  ['America/New_York', 'Europe/Berlin', '2026-03-08'],
  ['Europe/Berlin', 'Pacific/Kiritimati', '2026-10-25'],
  ['Pacific/Apia', 'Pacific/Pago_Pago', '2011-12-30'],
  ['Australia/Lord_Howe', 'Customized Time Zone', '2026-10-04'],
];

interface Listed {
  readonly form: 'utc' | 'own' | 'other' | 'date';
  readonly wallMs: number;
}

const listed = fc.record({
  form: fc.constantFrom('utc', 'own', 'other', 'date' as const),
  quarters: fc.integer({ min: -300, max: 300 }),
});
const place = fc.constantFrom(...PLACES);

function lineOf(name: string, other: string, { form, wallMs }: Listed): string {
  if (form === 'utc') return `${name}:${basic(wallMs)}Z`;
  if (form === 'own') return `${name}:${basic(wallMs)}`;
  if (form === 'other') return `${name};TZID="${other}":${basic(wallMs)}`;
  return `${name};VALUE=DATE:${basic(wallMs).slice(0, 8)}`;
}

function slowStart(zone: string, other: string, { form, wallMs }: Listed): number {
  if (form === 'utc') return wallMs;
  if (form === 'date') return slowInstantOf(zone, Math.floor(wallMs / DAY) * DAY + 9 * HOUR);
  return slowInstantOf(form === 'own' || other.includes(' ') ? zone : other, wallMs);
}

const everything = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

test('RDATE and EXDATE of every form, in any order, name the starts that a slow reading finds', () => {
  fc.assert(
    fc.property(
      place,
      fc.array(listed, { maxLength: 40 }),
      fc.array(listed, { maxLength: 20 }),
      fc.integer({ min: -80, max: 80 }),
      fc.integer({ min: 1, max: 60 }),
      ([zone, other, near], added, removed, fromHours, hours) => {
        const at = ({ form, quarters }: { form: Listed['form']; quarters: number }): Listed => ({
          form,
          wallMs: Date.parse(near) + quarters * (HOUR / 4),
        });
        const [dates, exceptions] = [added.map(at), removed.map(at)];
        const lines = [
          ...dates.map((date) => lineOf('RDATE', other, date)),
          ...exceptions.map((date) => lineOf('EXDATE', other, date)),
        ];
        const series = compileSeries({ dtstart: `${near}T09:00:00`, timeZone: zone, lines });

        const starts = new Set(dates.map((date) => slowStart(zone, other, date)));
        starts.add(slowInstantOf(zone, Date.parse(near) + 9 * HOUR));
        for (const date of exceptions.filter(({ form }) => form !== 'date'))
          starts.delete(slowStart(zone, other, date));
        const dayOf = (wallMs: number) => Math.floor(wallMs / DAY);
        const days = new Set(exceptions.filter(({ form }) => form === 'date').map(({ wallMs }) => dayOf(wallMs)));
        // A start that a gap has shifted over midnight is on the day that is written.
        const expected = [...starts].sort((a, b) => a - b);
        const nominal = new Map(dates.filter(({ form }) => form === 'own').map((d) => [slowStart(zone, other, d), d]));
        const isLeft = (startMs: number) => !days.has(dayOf(nominal.get(startMs)?.wallMs ?? slowWallAt(zone, startMs)));
        fc.pre(!zone.includes('Apia') || days.size === 0);

        const left = expected.filter(isLeft);
        expect(series.occurrences(everything).map(({ startMs }) => startMs)).toEqual(left);
        expect(series.first()?.startMs).toBe(left[0]);
        expect(series.last()?.startMs).toBe(left.at(-1));
        const from = Date.parse(near) + fromHours * HOUR;
        const window = { from, to: from + hours * HOUR };
        const within = left.filter((startMs) => startMs >= window.from && startMs < window.to);
        expect(series.occurrences(window).map(({ startMs }) => startMs)).toEqual(within);
        expect([...series.iterate(window)].map(({ startMs }) => startMs)).toEqual(within);
        expect(series.occurrences({ ...window, limit: 2 }).map(({ startMs }) => startMs)).toEqual(within.slice(0, 2));
      },
    ),
    { numRuns: 200 },
  );
});

test('of two RDATEs at one start the first that is listed counts', () => {
  const lines = ['RDATE;VALUE=PERIOD:20260310T090000Z/PT3H', 'RDATE:20260309T090000Z', 'RDATE:20260310T090000Z'];
  const reversed = ['RDATE:20260310T090000Z', 'RDATE:20260309T090000Z', 'RDATE;VALUE=PERIOD:20260310T090000Z/PT3H'];
  const lengths = (of: readonly string[]) =>
    compileSeries({ dtstart: '2026-03-01T09:00:00', timeZone: 'UTC', lines: of })
      .occurrences(everything)
      .map(({ durationMs }) => durationMs);
  expect(lengths(lines)).toEqual([undefined, undefined, 3 * HOUR]);
  expect(lengths(reversed)).toEqual([undefined, undefined, undefined]);
});

describe('20,000 dates of each kind', () => {
  const dates = (time: string) =>
    Array.from({ length: 20_000 }, (_, day) => `${basic(Date.UTC(2026, 2, 2) + day * DAY).slice(0, 8)}T${time}`);
  const lists = (zone: string) => [
    'RRULE:FREQ=DAILY',
    `RDATE;TZID=${zone}:${dates('110000').join(',')}`,
    `EXDATE;TZID=${zone}:${dates('090000').join(',')}`,
  ];
  const lines = (zone: string) => [
    'RRULE:FREQ=DAILY',
    ...dates('110000').map((date) => `RDATE;TZID=${zone}:${date}`),
    ...dates('090000').map((date) => `EXDATE;TZID=${zone}:${date}`),
  ];

  test.each([
    ['in lists', lists('Europe/Berlin')],
    ['in lines of their own', lines('Europe/Berlin')],
    ['in a zone that is unknown', lines('Customized Time Zone')],
  ])('%s cost a page what lies near the page', (_, written) => {
    const inner = createIntlSource();
    const asked = { names: 0, offsets: 0 };
    const zones = createZones({
      ...inner,
      canonicalName(name) {
        asked.names++;
        return inner.canonicalName(name);
      },
      offsetAt(zone, epochMs) {
        asked.offsets++;
        return inner.offsetAt(zone, epochMs);
      },
    });
    const series = compileSeries({ dtstart: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin', lines: written, zones });
    expect(asked).toEqual({ names: 1, offsets: 0 });
    const page = series.occurrences({ from: Date.UTC(2026, 5), to: Date.UTC(2026, 6) });
    expect(page.map(({ startMs }) => startMs)).toEqual(
      Array.from({ length: 30 }, (_, day) => Date.UTC(2026, 5, 1 + day, 9)),
    );
    expect(asked.names).toBeLessThan(5);
    // Two blocks of two years at most, of some twenty-five.
    expect(asked.offsets).toBeLessThan(1_500);
  });
});
