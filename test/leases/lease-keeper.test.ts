import { manualClock } from '@kalends/conformance';
import { expect, test } from 'vitest';
import { createLeaseKeeper, LEASE_MS } from '../../src/leases/index.ts';

const warnings: string[] = [];
const quiet = () => undefined;
const logger = { debug: quiet, info: quiet, warn: (text: string) => void warnings.push(text), error: quiet };

function gate() {
  let open: () => void = quiet;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('renews all leases in one call, three times per lease duration, until the work ends', async () => {
  const clock = manualClock();
  const renewed: string[][] = [];
  const keeper = createLeaseKeeper(async (held: readonly string[]) => void renewed.push([...held]), { clock, logger });
  const [long, short] = [gate(), gate()];
  const works = [keeper.during('a', () => long.opened), keeper.during('b', () => short.opened)];
  await clock.advance(LEASE_MS);
  expect(renewed).toEqual(Array.from({ length: 3 }, () => ['a', 'b']));
  short.open();
  await works[1];
  await clock.advance(LEASE_MS / 3 + 1);
  expect(renewed.at(-1)).toEqual(['a']);
  long.open();
  await works[0];
  const { length } = renewed;
  await clock.advance(10 * LEASE_MS);
  expect(renewed).toHaveLength(length);
});

test('goes on renewing after a renewal that failed', async () => {
  const clock = manualClock();
  let calls = 0;
  const renew = async () => {
    calls += 1;
    if (calls === 1) throw new Error('away');
  };
  const keeper = createLeaseKeeper(renew, { clock, logger });
  const { open, opened } = gate();
  const work = keeper.during('a', () => opened);
  await clock.advance(LEASE_MS);
  expect(calls).toBe(3);
  expect(warnings).toEqual(['leases not renewed']);
  open();
  await work;
});

test('passes on the result and the error of the work', async () => {
  const keeper = createLeaseKeeper(async () => undefined, { clock: manualClock(), logger });
  expect(await keeper.during('a', async () => 7)).toBe(7);
  await expect(keeper.during('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
