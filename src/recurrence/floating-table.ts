import type { ZoneSpan, ZoneTable } from '../zones/zone-table.ts';

const FOREVER: ZoneSpan = {
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  offsetMs: 0,
  wallFromMs: Number.NEGATIVE_INFINITY,
  wallToMs: Number.POSITIVE_INFINITY,
  nextWallFromMs: Number.POSITIVE_INFINITY,
  settledFromMs: Number.NEGATIVE_INFINITY,
  slackMs: 0,
};

/** Table of floating time, in which wall times equal instants. */
export const FLOATING_TABLE: ZoneTable = { spanAt: () => FOREVER, spanOfWall: () => FOREVER };
