import type { EventPull } from './pull-context.ts';

/** Groups listed at a time. */
const BATCH = 1_000;

/** Lists the provider ids of mirrored events and series, with those of records that are kept locally, page by page. */
export async function* mirroredIds({
  mirror,
  key,
  state,
}: Pick<EventPull, 'mirror' | 'key' | 'state'>): AsyncGenerator<readonly string[]> {
  const { revision: asOf } = (await mirror.find(key)) ?? state;
  for (let after: string | undefined; ; ) {
    const ids = await mirror.listGroups(key, { asOf, limit: BATCH, ...(after === undefined ? {} : { after }) });
    if (ids.length > 0) yield ids;
    after = ids.at(-1);
    if (after === undefined || ids.length < BATCH) return;
  }
}
