import fc from 'fast-check';
import { wallAt } from 'kalends/zones';
import { expect, test } from 'vitest';
import { slowWallAt } from './slow-zone.ts';

/*
 * The table of a zone knows one offset before 1800, and answers after 2131 from the year of the same kind in 2104–2131.
 * Both are claims about tz data: they are tested against Intl for every zone that the runtime has.
 */

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const between = (from: number, to: number) =>
  fc.integer({ min: Date.UTC(from, 0, 1) / 1000, max: Date.UTC(to, 11, 30) / 1000 }).map((second) => second * 1000);

function agree(ms: fc.Arbitrary<number>, runs: number): void {
  fc.assert(
    fc.property(zone, ms, (name, at) => {
      expect(wallAt(name, at), name).toBe(slowWallAt(name, at));
    }),
    { numRuns: runs },
  );
}

test('every zone has one offset before 1800', () => agree(between(1000, 1850), 400));

test('every zone repeats the years 2104 to 2131 by their kind', () => agree(between(2100, 9998), 800));

test('changes by rules from 2040 on are found, the two of a Ramadan too', () => {
  for (const name of ['Africa/Casablanca', 'Africa/Cairo', 'Australia/Lord_Howe', 'America/Santiago']) {
    for (let at = Date.UTC(2040, 0, 1); at < Date.UTC(2090, 0, 1); at += 3.5 * 86_400_000) {
      expect(wallAt(name, at), name).toBe(slowWallAt(name, at));
    }
  }
});
