import type {
  CalendarChange,
  Clock,
  CollectionKey,
  Commit,
  EventChange,
  ItemVersion,
  ItemWrite,
  LeftByCommit,
  Logger,
  MirrorStore,
  ProviderCalendar,
  Random,
  Storage,
} from '../ports/index.ts';
import { createId, randomHex } from '../runtime/index.ts';
import { commitWrites } from './commit-writes.ts';
import { type PlanOptions, planChanges } from './plan-changes.ts';
import { calendarWrite } from './stored-calendar.ts';
import { deletion } from './stored-event.ts';
import { logSetAside, unreadableOfCalendars } from './unreadable-changes.ts';

export interface OwnWritesDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly enqueued: () => void;
  /** Called when a collection has become due. */
  readonly wake: () => void;
}

/** Options for mirroring the answer to a write. */
export interface OwnWriteOptions {
  /** Id of the item that the write deletes: its local-only record may be removed. */
  readonly deletedId?: string;
  /** The intent that the write is part of; see Commit. */
  readonly intent?: NonNullable<Commit['intent']>;
  /** Groups that the intent holds, unchanged since they were read: saves reading them again. */
  readonly held?: { readonly groupIds: readonly string[]; readonly items: readonly ItemVersion[] };
  /** Whether the mirror cannot have had the events before the write. @default false */
  readonly isNew?: boolean;
}

/** The revision that a write has reached, and what it left; undefined when that is not known. */
export interface WriteReached {
  readonly revision: number;
  readonly left: LeftByCommit | undefined;
}

/** Mirrors the provider's answer to a write of events. */
export async function applyEventWrite(
  deps: OwnWritesDeps,
  key: CollectionKey,
  changes: readonly EventChange[],
  basedOn: number,
  mappingVersion: number,
  { deletedId, intent, held, isNew = false }: OwnWriteOptions = {},
): Promise<WriteReached> {
  const { storage, clock, random } = deps;
  const plan = await planChanges(changes, {
    lane: key.applicationId,
    mappingVersion,
    ...knownFirst(storage.mirror, key, held),
    deletedId,
    followsMasters: !isNew,
  });
  const { revision, changed, deferred, setAside, left } = await commitWrites(storage.mirror, random, key, plan.writes, {
    basedOn,
    at: clock.now(),
    readsLeft: true,
    notify: changedMessage(random),
    ...(plan.rereads.length === 0 ? {} : { reread: plan.rereads }),
    ...(plan.unreadable === undefined ? {} : { unreadable: plan.unreadable }),
    ...(intent === undefined ? {} : { intent }),
  });
  logSetAside(deps.logger, key, plan.unreadable, setAside);
  if (changed.length > 0) deps.enqueued();
  const hasRereads = deferred.length > 0 || plan.rereads.length > 0;
  // Changes that a pull brought while the intent held their groups wait on the re-read list for its end.
  const hasHeldBack =
    intent?.end !== undefined && (left?.hasRereads ?? (await storage.mirror.listRereads(key, 1)).length > 0);
  if (!hasRereads && !hasHeldBack) return { revision, left };
  // Two answers crossed, and only the provider knows the newer state. A hint survives a pull that is just ending, and makes
  // the next reader wait.
  await storage.schedule.hint(key);
  deps.wake();
  return { revision, left };
}

/** Reads what is held from memory, and the rest from the mirror. */
function knownFirst(
  mirror: MirrorStore,
  key: CollectionKey,
  { groupIds, items }: NonNullable<OwnWriteOptions['held']> = { groupIds: [], items: [] },
): Pick<PlanOptions, 'readGroups' | 'readItems'> {
  return {
    async readGroups(ids) {
      if (ids.every((id) => groupIds.includes(id))) return items.filter(({ groupId }) => ids.includes(groupId));
      const now = (await mirror.find(key))?.revision ?? 0;
      return await mirror.readGroups(key, ids, now);
    },
    async readItems(ids) {
      const known = items.filter(({ itemId }) => ids.includes(itemId));
      return known.length === new Set(ids).size ? known : await mirror.findItems(key, ids);
    },
  };
}

/** The parts of a provider's answer to a write of a calendar. */
export type CalendarOutcome =
  | { readonly calendar: ProviderCalendar }
  | { readonly deletedId: string }
  | { readonly unreadableId: string; readonly reason: string };

/**
 * Mirrors the provider's answer to a write of a calendar: one that cannot be read keeps its last good version. An answer that crossed with a later one is not mirrored; the list is
 * pulled again.
 */
export async function applyCalendarWrite(
  deps: OwnWritesDeps,
  key: CollectionKey,
  outcome: CalendarOutcome,
  basedOn: number,
  mappingVersion: number,
  intent?: Commit['intent'],
): Promise<number> {
  const { storage, clock, random } = deps;
  const unreadable = unreadableOfCalendars([changeOf(outcome)]);
  const { revision, changed, deferred, setAside } = await commitWrites(
    storage.mirror,
    random,
    key,
    writesOf(outcome, mappingVersion),
    {
      basedOn,
      at: clock.now(),
      notify: changedMessage(random),
      ...(unreadable === undefined ? {} : { unreadable }),
      ...(intent === undefined ? {} : { intent }),
    },
  );
  logSetAside(deps.logger, key, unreadable, setAside);
  if (changed.length > 0) deps.enqueued();
  if (deferred.length > 0) {
    // A hint makes the next reader wait for the list.
    await storage.schedule.hint(key);
    deps.wake();
    return revision;
  }
  if ('deletedId' in outcome) {
    const last = { at: clock.now(), messageId: () => createId(random, 'msg') };
    await storage.mirror.remove({ ...key, calendarId: outcome.deletedId }, last);
    deps.enqueued();
  } else if ('calendar' in outcome) {
    await applyZone(deps, { ...key, calendarId: outcome.calendar.id }, outcome.calendar.timeZone);
  }
  return revision;
}

function changeOf(outcome: CalendarOutcome): CalendarChange {
  if ('calendar' in outcome) return { kind: 'calendar', calendar: outcome.calendar };
  if ('deletedId' in outcome) return { kind: 'deleted', calendarId: outcome.deletedId };
  return { kind: 'unreadable', calendarId: outcome.unreadableId, reason: outcome.reason };
}

function writesOf(outcome: CalendarOutcome, mappingVersion: number): readonly ItemWrite[] {
  if ('calendar' in outcome) return [calendarWrite(outcome.calendar, mappingVersion)];
  if ('unreadableId' in outcome) return [];
  // A deletion is final: any state mirrored meanwhile is older.
  return [{ ...deletion(outcome.deletedId, outcome.deletedId, mappingVersion), force: true }];
}

/** Commits a changed zone of the calendar to the collection of its events, whose floating times are read again in it. */
async function applyZone(
  { storage, clock, random, enqueued, wake }: OwnWritesDeps,
  key: CollectionKey,
  timeZone: string,
): Promise<void> {
  const state = await storage.mirror.find(key);
  if (state === undefined || state.timeZone === timeZone) return;
  await storage.mirror.commit(key, {
    writes: [],
    basedOn: state.writeCount,
    at: clock.now(),
    tag: randomHex(random),
    timeZone,
    notify: changedMessage(random),
  });
  enqueued();
  await storage.schedule.hint(key);
  wake();
}

function changedMessage(random: Random) {
  return { eventType: 'calendar.event.changed', messageId: () => createId(random, 'msg') } as const;
}
