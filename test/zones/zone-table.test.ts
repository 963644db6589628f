import fc from 'fast-check';
import { createIntlSource, createZones, instantOf, intlZones, offsetAt, wallAt, type ZoneSource } from 'kalends/zones';
import { describe, expect, test } from 'vitest';
import { slowInstantOf, slowWallAt } from './slow-zone.ts';

const ZONES = [
  'America/New_York',
  'Europe/London',
  'Europe/Dublin',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Europe/Kyiv',
  'America/Fortaleza',
  'America/Maceio',
  'America/St_Johns',
  'Antarctica/Troll',
  'Pacific/Chatham',
  'America/Caracas',
  'Asia/Pyongyang',
  'UTC',
  'Etc/GMT+5',
];

const zone = fc.constantFrom(...ZONES);
const second = fc
  .integer({ min: Date.UTC(1971, 0, 1) / 1000, max: Date.UTC(2045, 0, 1) / 1000 })
  .map((value) => value * 1000);

describe('the table of a zone', () => {
  test('gives the local time that Intl gives', () => {
    fc.assert(
      fc.property(zone, second, (name, ms) => {
        expect(wallAt(name, ms)).toBe(slowWallAt(name, ms));
      }),
      { numRuns: 3000 },
    );
  });

  test('turns a wall time into an instant as the slow search does', () => {
    fc.assert(
      fc.property(zone, second, (name, ms) => {
        expect(instantOf(name, ms)).toBe(slowInstantOf(name, ms));
      }),
      { numRuns: 150 },
    );
  });

  test('is exact at the edges of every change from 2005 to 2030', () => {
    for (const name of ZONES) {
      for (const at of changes(name, Date.UTC(2005, 0, 1), Date.UTC(2030, 0, 1))) {
        for (const ms of [at - 1000, at, at + 1000]) expect(wallAt(name, ms), name).toBe(slowWallAt(name, ms));
        const [before, after] = [offsetAt(name, at - 1000), offsetAt(name, at)];
        const edge = at + Math.min(before, after);
        const size = Math.abs(after - before);
        for (const wall of [edge - 1000, edge, edge + size / 2, edge + size - 1000, edge + size]) {
          // A gap shifts by its size; an overlap is its first pass; outside of both there is one instant.
          const offset = wall < at + Math.max(before, after) ? before : after;
          expect(instantOf(name, wall), `${name} ${new Date(wall).toISOString()}`).toBe(wall - offset);
        }
      }
    }
  });

  test('gives the local time and the instant that Intl gives after the year 2500, around changes too', () => {
    const far = fc
      .integer({ min: Date.UTC(2495, 0, 1) / 1000, max: Date.UTC(9999, 11, 30) / 1000 })
      .map((value) => value * 1000);
    fc.assert(
      fc.property(zone, far, (name, ms) => {
        expect(wallAt(name, ms), name).toBe(slowWallAt(name, ms));
        const [change] = changes(name, ms, ms + 250 * 86_400_000);
        if (change === undefined) return;
        for (const at of [change - 1000, change]) {
          expect(wallAt(name, at), name).toBe(slowWallAt(name, at));
          expect(instantOf(name, wallAt(name, at)), name).toBe(slowInstantOf(name, wallAt(name, at)));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('has changes within a week of each other, as of Ramadan in Gaza', () => {
    const { offsetAt: given } = createIntlSource();
    for (const year of [2040, 2054, 2072]) {
      for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 86_400_000) {
        expect(offsetAt('Asia/Gaza', at), new Date(at).toISOString()).toBe(given('Asia/Gaza', at));
      }
    }
  });

  test('answers the years 1 and 9999', () => {
    const start = new Date(0);
    start.setUTCFullYear(1, 5, 1);
    for (const ms of [start.getTime(), Date.UTC(9999, 6, 1)]) {
      const wall = wallAt('America/New_York', ms);
      expect(instantOf('America/New_York', wall)).toBe(ms);
    }
  });
});

/** The instants at which the offset changes, span by span. */
function changes(name: string, fromMs: number, toMs: number): readonly number[] {
  const found: number[] = [];
  const table = intlZones.tableOf(name);
  for (let span = table.spanAt(fromMs); span.toMs < toMs; span = table.spanAt(span.toMs)) {
    if (table.spanAt(span.toMs).offsetMs !== span.offsetMs) found.push(span.toMs);
  }
  return found;
}

describe('another source of zone data', () => {
  const inner = createIntlSource();
  /** A rule from the future: New York stays on −04:00 from 1 November 2026. */
  const source: ZoneSource = {
    ...inner,
    offsetAt: (name, ms) =>
      name === 'America/New_York' && ms >= Date.UTC(2026, 10, 1, 6) ? -4 * 3_600_000 : inner.offsetAt(name, ms),
  };
  const zones = createZones(source);

  test('is used where it is given, and nowhere else', () => {
    const winter = Date.UTC(2026, 11, 1);
    expect(offsetAt('America/New_York', winter, zones)).toBe(-4 * 3_600_000);
    expect(offsetAt('US/Eastern', winter, zones)).toBe(-4 * 3_600_000);
    expect(offsetAt('America/New_York', winter)).toBe(-5 * 3_600_000);
  });

  test('is asked about a thousand times for a zone and a year, then no more', () => {
    let asked = 0;
    const counting = createZones({
      ...inner,
      offsetAt(name, ms) {
        asked++;
        return inner.offsetAt(name, ms);
      },
    });
    for (let day = 0; day < 365; day++) offsetAt('Europe/Paris', Date.UTC(2026, 0, 1 + day), counting);
    expect(asked).toBeLessThan(1200);
    const once = asked;
    for (let day = 0; day < 365; day++) offsetAt('Europe/Paris', Date.UTC(2026, 0, 1 + day), counting);
    expect(asked).toBe(once);
  });

  test('is asked about no more than four hundred years when every change up to the year 9999 is walked over', () => {
    let asked = 0;
    const counting = createZones({
      ...inner,
      offsetAt(name, ms) {
        asked++;
        return inner.offsetAt(name, ms);
      },
    });
    const table = counting.tableOf('Europe/Paris');
    let walked = 0;
    for (let at = Date.UTC(2100, 0, 1); at < Date.UTC(9999, 0, 1); walked++) at = table.spanAt(at).toMs;
    expect(walked).toBeGreaterThan(15_000);
    expect(asked).toBeLessThan(110_000);
  });
});
