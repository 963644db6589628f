import type {
  Clock,
  CollectionKey,
  Commit,
  EventChange,
  Logger,
  ProviderCalendar,
  Random,
  Storage,
} from '../ports/index.ts';
import { createId, randomHex } from '../runtime/index.ts';
import { commitWrites } from './commit-writes.ts';
import { planChanges } from './plan-changes.ts';
import { calendarWrite } from './stored-calendar.ts';
import { deletion } from './stored-event.ts';
import { logSetAside } from './unreadable-changes.ts';

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
}

/** Mirrors the provider's answer to a write of events. Returns the new revision. */
export async function applyEventWrite(
  deps: OwnWritesDeps,
  key: CollectionKey,
  changes: readonly EventChange[],
  basedOn: number,
  mappingVersion: number,
  { deletedId, intent }: OwnWriteOptions = {},
): Promise<number> {
  const { storage, clock, random } = deps;
  const now = (await storage.mirror.find(key))?.revision ?? 0;
  const plan = await planChanges(changes, {
    lane: key.applicationId,
    mappingVersion,
    readGroups: (ids) => storage.mirror.readGroups(key, ids, now),
    readItems: (ids) => storage.mirror.findItems(key, ids),
    deletedId,
    followsMasters: true,
  });
  const { revision, changed, deferred, setAside } = await commitWrites(storage.mirror, random, key, plan.writes, {
    basedOn,
    at: clock.now(),
    notify: changedMessage(random),
    ...(plan.rereads.length === 0 ? {} : { reread: plan.rereads }),
    ...(plan.unreadable === undefined ? {} : { unreadable: plan.unreadable }),
    ...(intent === undefined ? {} : { intent }),
  });
  logSetAside(deps.logger, key, plan.unreadable, setAside);
  if (changed.length > 0) deps.enqueued();
  const hasRereads = deferred.length > 0 || plan.rereads.length > 0;
  // Changes that a pull brought while the intent held their groups wait on the re-read list for its end.
  const hasHeldBack = intent?.end !== undefined && (await storage.mirror.listRereads(key, 1)).length > 0;
  if (!hasRereads && !hasHeldBack) return revision;
  // Two answers crossed, and only the provider knows the newer state. A hint survives a pull that is just ending, and makes
  // the next reader wait.
  await storage.schedule.hint(key);
  deps.wake();
  return revision;
}

/**
 * Mirrors the provider's answer to a write of a calendar. An answer that crossed with a later one is not mirrored; the list is
 * pulled again.
 */
export async function applyCalendarWrite(
  deps: OwnWritesDeps,
  key: CollectionKey,
  change: { readonly calendar: ProviderCalendar } | { readonly deletedId: string },
  basedOn: number,
  mappingVersion: number,
  intent?: Commit['intent'],
): Promise<number> {
  const { storage, clock, random } = deps;
  const write =
    'calendar' in change
      ? calendarWrite(change.calendar, mappingVersion)
      : // A deletion is final: any state mirrored meanwhile is older.
        { ...deletion(change.deletedId, change.deletedId, mappingVersion), force: true };
  const part = intent === undefined ? {} : { intent };
  const options = { basedOn, at: clock.now(), notify: changedMessage(random), ...part };
  const { revision, changed, deferred } = await commitWrites(storage.mirror, random, key, [write], options);
  if (changed.length > 0) deps.enqueued();
  if (deferred.length > 0) {
    // A hint makes the next reader wait for the list.
    await storage.schedule.hint(key);
    deps.wake();
    return revision;
  }
  if ('deletedId' in change) {
    const last = { at: clock.now(), messageId: () => createId(random, 'msg') };
    await storage.mirror.remove({ ...key, calendarId: change.deletedId }, last);
    deps.enqueued();
  } else await applyZone(deps, { ...key, calendarId: change.calendar.id }, change.calendar.timeZone);
  return revision;
}

/** Commits a changed zone of the calendar to the collection of its events. */
async function applyZone(
  { storage, clock, random, enqueued }: OwnWritesDeps,
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
}

function changedMessage(random: Random) {
  return { eventType: 'calendar.event.changed', messageId: () => createId(random, 'msg') } as const;
}
