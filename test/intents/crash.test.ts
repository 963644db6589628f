import { describe, expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { CRASH_POINTS, playCrash } from './crash-stage.ts';
import { stageFollowing } from './staged-following.ts';
import { stageCreate, stageDelete, stageUpdate } from './staged-writes.ts';

/** Cases for each kind of write, point and provider. */
const CASES = sizeOf('cases', { short: 1, long: 5 });

const WRITES = { create: stageCreate, update: stageUpdate, delete: stageDelete, following: stageFollowing };

describe.each(['google', 'microsoft'] as const)('a process that dies at %s', (provider) => {
  describe.each(Object.entries(WRITES))('during a %s', (_name, stage) => {
    it.each(CRASH_POINTS)(
      '%s',
      async (point) => {
        for (let seed = 1; seed <= CASES; seed++) {
          expect(await playCrash({ provider, point, seed, stage }), `seed ${seed}`).toEqual([]);
        }
      },
      30_000 + CASES * 10_000,
    );
  });
});
