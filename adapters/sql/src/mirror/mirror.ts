import type { MirrorStore } from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { readBusy } from './mirror-busy.ts';
import { mirrorCollections } from './mirror-collections.ts';
import { commitToMirror } from './mirror-commit.ts';
import { mirrorPages } from './mirror-pages.ts';
import { mirrorReads } from './mirror-read.ts';
import { purgeVersions } from './purge.ts';
import { purgeRereads, rereadList } from './reread-list.ts';
import { mirrorSweep } from './sweep.ts';
import { unreadableList } from './unreadable-list.ts';

export function mirrorStore(context: SqlContext): MirrorStore {
  const { database, dialect } = context;
  return {
    ...mirrorCollections(context),
    commit: (key, commit) =>
      dialect.transaction(database, (transaction) => commitToMirror(context, transaction, key, commit), {
        finishes: true,
      }),
    ...mirrorReads(context),
    ...mirrorPages(context),
    readBusy: (query) => readBusy(context, query),
    ...mirrorSweep(context),
    ...rereadList(context),
    ...unreadableList(context),
    purge: (input) =>
      dialect.transaction(database, async (transaction) => {
        await purgeRereads(dialect, transaction);
        return await purgeVersions(context, transaction, input);
      }),
  };
}
