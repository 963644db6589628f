import {
  type CollectionKey,
  type Commit,
  type CommitResult,
  type ItemWrite,
  MAX_COMMIT_WRITES,
  type MirrorStore,
  type Random,
} from '../ports/index.ts';
import { nextTurn, randomHex } from '../runtime/index.ts';

/** Options of a batch of writes; see Commit. */
export type CommitOptions = Omit<Commit, 'writes' | 'tag'>;

/**
 * Commits writes in transactions of at most `MAX_COMMIT_WRITES`, in order. The last one also stores all that marks the batch as done (provider
 * token, re-read list, marks, completion, the end of an intent), so that a crash in between repeats the batch.
 */
export async function commitWrites(
  mirror: MirrorStore,
  random: Random,
  key: CollectionKey,
  writes: readonly ItemWrite[],
  options: CommitOptions,
): Promise<CommitResult> {
  const { basedOn, at, lease, notify, intent, readsLeft, ...last } = options;
  const every = { basedOn, at, ...(lease === undefined ? {} : { lease }) };
  const changed: string[] = [];
  const deferred: string[] = [];
  const setAside: string[] = [];
  for (let from = 0; ; from += MAX_COMMIT_WRITES) {
    const isLast = from + MAX_COMMIT_WRITES >= writes.length;
    const own = isLast ? { ...last, ...(notify === undefined ? {} : { notify }) } : withoutAlways(notify);
    // The groups of the last part alone would not be all of them.
    const readsAll = isLast && from === 0 && readsLeft === true;
    const result = await mirror.commit(key, {
      writes: writes.slice(from, from + MAX_COMMIT_WRITES),
      tag: randomHex(random),
      ...every,
      ...own,
      ...(readsAll ? { readsLeft } : {}),
      ...(intent === undefined ? {} : { intent: isLast ? intent : { id: intent.id, epoch: intent.epoch } }),
    });
    changed.push(...result.changed);
    deferred.push(...result.deferred);
    setAside.push(...result.setAside);
    // A transaction may block the event loop for its whole duration.
    await nextTurn();
    if (isLast) return { ...result, changed, deferred, setAside };
  }
}

/** Announces changes with each part that has some; a gap is announced once, with the last part. */
function withoutAlways(notify: Commit['notify']): Pick<Commit, 'notify'> {
  if (notify === undefined) return {};
  const { always: _, ...each } = notify;
  return { notify: each };
}
