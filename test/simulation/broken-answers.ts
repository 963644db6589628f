import type { MirrorStore, Storage } from 'kalends/ports';
import type { PromiseId } from '../../adapters/server/src/history/promises.ts';
import type { Tampering } from './simulation-state.ts';

export interface BrokenAnswers extends Tampering {
  /** Promises that are broken; the log of the clients shows one of them. */
  readonly promises: readonly PromiseId[];
  /** The first seed that showed it when last measured. */
  readonly shownBy: number;
}

const LATEST = Number.MAX_SAFE_INTEGER;

/** The product with answers that break a promise to its clients. A checker of their log that does not notice proves nothing. */
export const BROKEN_ANSWERS: Readonly<Record<string, BrokenAnswers>> = {
  'a sync result leaves out what changed first': {
    promises: ['copy-equals-list', 'read-your-writes'],
    shownBy: 1,
    storage: (storage) =>
      withMirror(storage, {
        readTouched: async (key, query) => (await storage.mirror.readTouched(key, query)).slice(1),
      }),
  },
  'further pages show the present': {
    promises: ['one-moment', 'record-once', 'copy-equals-list', 'read-your-writes'],
    shownBy: 1,
    storage: (storage) =>
      withMirror(storage, {
        readGroups: (key, ids) => storage.mirror.readGroups(key, ids, LATEST),
        listGroups: (key, query) => storage.mirror.listGroups(key, { ...query, asOf: LATEST }),
        readListed: (key, query) => storage.mirror.readListed(key, { ...query, asOf: LATEST }),
      }),
  },
  'tokens of earlier revisions are refused': {
    promises: ['token-lives'],
    shownBy: 1,
    storage: (storage) =>
      withMirror(storage, {
        findRevision: async () => undefined,
        readTouched: (key, query) =>
          storage.mirror.readTouched(key, query.tag === undefined ? query : { ...query, tag: 'of-another-history' }),
      }),
  },
  'deletions are not mirrored': {
    promises: ['deleted-stays-deleted', 'copy-equals-list'],
    shownBy: 31,
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, commit) =>
          storage.mirror.commit(key, { ...commit, writes: commit.writes.filter(({ content }) => content !== null) }),
      }),
  },
  'an old answer overwrites newer knowledge': {
    promises: ['read-your-writes', 'no-going-back', 'deleted-stays-deleted'],
    shownBy: 11,
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, commit) => storage.mirror.commit(key, { ...commit, basedOn: LATEST }),
      }),
  },
};

function withMirror(storage: Storage, replaced: Partial<MirrorStore>): Storage {
  return { ...storage, mirror: { ...storage.mirror, ...replaced } };
}
