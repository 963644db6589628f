import { type CommitOptions, commitWrites, logSetAside } from '../mirror/index.ts';
import type {
  CalendarRef,
  Clock,
  CollectionKey,
  CollectionState,
  Commit,
  HeldLease,
  Logger,
  MirrorStore,
  Provider,
  ProviderSession,
  Random,
} from '../ports/index.ts';
import { createId } from '../runtime/index.ts';

/** Context of every pull: one collection, held under a lease that fences its commits. */
export interface PullContext {
  readonly mirror: MirrorStore;
  readonly key: CollectionKey;
  /** State of the collection when the pull began. */
  readonly state: CollectionState;
  readonly lease: HeldLease;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called after a commit that may have enqueued messages. */
  enqueued(): void;
}

/** A pull of one calendar's events. */
export interface EventPull extends PullContext {
  readonly provider: Provider;
  readonly session: ProviderSession;
  readonly calendar: CalendarRef;
  /** Serialized resume point, as it was when the pull began. */
  readonly providerToken: string | null;
  /** Whether there was anything on the re-read list when the pull began. */
  readonly hasRereads: boolean;
  /** Whether a sweep had been started and not ended when the pull began: a reconciliation runs, or a pass was cut short. */
  readonly isSweeping: boolean;
  /** Only the objects on the re-read list are wanted, not the feed of changes. */
  readonly namedOnly: boolean;
  /** Sources of changes that were asked since this instant may be left out, except the one asked longest ago. */
  readonly askedSince?: number;
  /** An answer about several calendars that was asked since this instant may be used again. */
  readonly sharedSince?: number;
  /** Pulls that have failed in a row before this one. */
  readonly failures: number;
}

export interface PullOutcome {
  /** Number of new item versions. */
  readonly changed: number;
  /** Of these, the ones that the provider's feed of changes listed. */
  readonly listed: number;
  /** Only named objects were read: the mirror may lack other changes. @default false */
  readonly isPartial?: boolean;
  /** When the source asked longest ago was asked, if the provider left a source of changes out. */
  readonly completeAt?: number;
  /** The provider was not asked, by its own wish. @default false */
  readonly isUnasked?: boolean;
  /** Start of the last full pass. */
  readonly fullAt: number;
  /** Pages that it took. */
  readonly fullPages: number;
  /** Resume point at the provider that is not stored yet. */
  readonly providerToken?: string;
  /** Wait before another pull, for objects left on the re-read list. */
  readonly againMs?: number;
}

/** Returns the write count, to note before a provider request: an item written after that is newer than the answer. */
export async function currentWriteCount({ mirror, key, state }: PullContext): Promise<number> {
  return (await mirror.find(key))?.writeCount ?? state.writeCount;
}

/** Returns the collection's present revision. */
export async function currentRevision({ mirror, key, state }: PullContext): Promise<number> {
  return (await mirror.find(key))?.revision ?? state.revision;
}

/** Returns the messages of a change: none while the first pull is filling the mirror. */
export function notifyChanged({ random, state }: PullContext): Pick<Commit, 'notify'> {
  if (state.completedAt === null) return {};
  return { notify: { eventType: 'calendar.event.changed', messageId: () => createId(random, 'msg') } };
}

/** Commits a part of a pull and returns the ids of the changed items. */
export async function commitPull(
  pull: PullContext,
  writes: Commit['writes'],
  options: Omit<CommitOptions, 'at' | 'lease'>,
): Promise<readonly string[]> {
  const { changed, setAside } = await commitWrites(pull.mirror, pull.random, pull.key, writes, {
    ...options,
    at: pull.clock.now(),
    lease: pull.lease,
  });
  logSetAside(pull.logger, pull.key, options.unreadable, setAside);
  if (options.notify?.always === true || (options.notify !== undefined && changed.length > 0)) pull.enqueued();
  return changed;
}
