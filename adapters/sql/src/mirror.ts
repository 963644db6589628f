import type { MirrorStore } from 'kalends/ports';
import type { SqlContext } from './context.ts';
import { mirrorCollections } from './mirror-collections.ts';
import { commitToMirror } from './mirror-commit.ts';
import { mirrorReads } from './mirror-read.ts';
import { purgeVersions } from './purge.ts';
import { mirrorSweep } from './sweep.ts';

export function mirrorStore(context: SqlContext): MirrorStore {
  const { database, dialect } = context;
  return {
    ...mirrorCollections(context),
    commit: (key, commit) =>
      dialect.transaction(database, (transaction) => commitToMirror(context, transaction, key, commit)),
    ...mirrorReads(context),
    ...mirrorSweep(context),
    purge: (input) => dialect.transaction(database, (transaction) => purgeVersions(context, transaction, input)),
  };
}
