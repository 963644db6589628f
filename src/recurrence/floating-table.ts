import { spanBetween, type ZoneTable } from '../zones/zone-table.ts';

const FOREVER = spanBetween(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, [0], 0);

/** Table of floating time, in which wall times equal instants. */
export const FLOATING_TABLE: ZoneTable = { spanAt: () => FOREVER, spanOfWall: () => FOREVER };
