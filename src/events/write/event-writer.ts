import type { AccountAccess } from '../../accounts/index.ts';
import { KalendsError } from '../../errors.ts';
import { changedNothing } from '../../intents/index.ts';
import type { WriteReached } from '../../mirror/index.ts';
import {
  type CalendarRef,
  type Clock,
  type EventChange,
  type EventTarget,
  type Logger,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
  type UnreadableObject,
  type WriteOptions,
} from '../../ports/index.ts';
import { describeError, withDeadline } from '../../runtime/index.ts';
import { type EventLocator, noEvent, recordIn, targetOf, unreadableEvent } from '../read/event-locator.ts';
import { recordEtag } from '../read/event-presenter.ts';
import type { EventRecord } from '../read/group-records.ts';
import type { EventIntent, IntentOpener } from './event-intent.ts';
import { requireMatch } from './precondition.ts';
import { mirrorOutcome, objectOf, type WriteData, writeDataOf } from './write-outcome.ts';
import type { WritePlace } from './write-place.ts';

export interface EventWriterDeps {
  readonly accounts: AccountAccess;
  readonly intents: IntentOpener;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly locator: EventLocator;
  readonly toPublicError: (error: unknown) => unknown;
}

/** A write to one existing object: a call of the provider port with everything but its subject filled in. */
export type TargetedCall = (
  events: ProviderEvents,
  session: ProviderSession,
  calendar: CalendarRef,
  target: EventTarget,
  options: WriteOptions,
) => Promise<readonly EventChange[]>;

/** A write to a record. */
export interface WriteOrder {
  readonly kind: 'update' | 'delete' | 'respond';
  readonly ifMatch: string | undefined;
  /** Made one after the other, each to the record as the one before left it. */
  readonly calls: readonly TargetedCall[];
}

/** Writes through: an intent first, then the provider, then its answer into the mirror with the intent's end. */
export interface EventWriter {
  /**
   * Writes to a record, as the one writer of its group. With `ifMatch` its etag must satisfy it, and the provider's own tag
   * must still hold: when it does not, the record is read again, and the write repeated once if what is shown has not
   * changed. After a failure that leaves open what was done, what became of it is read and mirrored. Resolves with the
   * record afterwards; undefined when there is none any more.
   * @throws KalendsError PreconditionFailed, Conflict when others have been writing to it for too long; the public form of
   * the provider's failure
   */
  writeTo(place: WritePlace, record: EventRecord, order: WriteOrder): Promise<EventRecord | undefined>;
}

/** Timeout of reading the outcome of a failed write, while its caller waits. */
const OUTCOME_TIMEOUT_MS = 5_000;

interface Write {
  readonly place: WritePlace;
  readonly intent: EventIntent;
  readonly data: WriteData;
  /** Whether a request has been sent. */
  isSent: boolean;
  /** Whether the provider made a change that the mirror does not show yet: a failure is no refusal then. */
  isUnmirrored: boolean;
  /** The written object, when the provider's answer shows it unreadable. */
  unreadable?: UnreadableObject | undefined;
}

export function createEventWriter(deps: EventWriterDeps): EventWriter {
  const { accounts, intents, clock, logger, locator, toPublicError } = deps;

  async function call(write: Write, record: EventRecord, ifMatch: string | undefined, send: TargetedCall) {
    const { account, calendar, session, notifyAttendees } = write.place;
    const target = targetOf(record);
    const tag = ifMatch === undefined ? null : providerTagOf(target);
    write.isSent = true;
    const options = { notifyAttendees, ...(tag === null ? {} : { ifMatch: tag }) };
    return await send(account.provider.events, session, calendar, target, options);
  }

  /** Reads an object again after the provider has contradicted the mirror. */
  async function reread({ place, intent }: Write, record: EventRecord): Promise<void> {
    const { account, calendar, session } = place;
    const { id, isSeries } = objectOf(targetOf(record));
    await intent.apply(await account.provider.events.get(session, calendar, id, { isSeries }));
  }

  async function checkedCall(write: Write, record: EventRecord, ifMatch: string | undefined, send: TargetedCall) {
    try {
      return await call(write, record, ifMatch, send);
    } catch (error) {
      if (!ProviderError.isInstance(error)) throw error;
      if (error.reason !== 'precondition-failed' && error.reason !== 'not-found') throw error;
      await reread(write, record);
      // An event that the mirror has lost too is our NotFound, not the provider's.
      const now = await findOrThrow(write.place, record.id);
      if (error.reason === 'not-found') throw error;
      if (recordEtag(now) !== recordEtag(record)) {
        throw new KalendsError('PreconditionFailed', 'The event was changed in the meantime.', { cause: error });
      }
      return await call(write, now, ifMatch, send);
    }
  }

  async function findOrThrow(place: WritePlace, eventId: string): Promise<EventRecord> {
    const record = await locator.find(place.key, eventId);
    if (record === undefined) throw noEvent();
    return record;
  }

  /** Finds the record as a write has left it. */
  async function findLeft(
    { key, calendar: { timeZone } }: WritePlace,
    { id, group }: EventRecord,
    { revision, left }: WriteReached,
  ): Promise<EventRecord | undefined> {
    // An item that has left its group is in one that was written too.
    if (left?.groupIds.includes(group.groupId)) return recordIn(left.items, id, left.timeZone);
    return await locator.findAt(key, id, { revision, timeZone });
  }

  /** Resolves with what it has reached, which shows what was done. */
  async function perform(write: Write, { id: eventId }: EventRecord, { ifMatch, calls }: WriteOrder) {
    const { place, intent, data } = write;
    const options = data.deletedId === null ? {} : { deletedId: eventId };
    // The intent that held the group before may have changed it.
    let record: EventRecord | undefined = findHeld(intent, eventId) ?? (await findOrThrow(place, eventId));
    requireMatch(ifMatch, recordEtag(record));
    let changes: readonly EventChange[] = [];
    for (const [index, send] of calls.entries()) {
      if (index > 0 && record !== undefined) {
        const reached = await intent.apply(changes, options);
        write.isUnmirrored = false;
        changes = [];
        record = await findLeft(place, record, reached);
      }
      if (record === undefined) break;
      try {
        changes = await checkedCall(write, record, index === 0 ? ifMatch : undefined, send);
        write.isUnmirrored = true;
      } catch (error) {
        throw index === 0 ? error : halfDone(toPublicError(error), error);
      }
    }
    write.unreadable = unreadableOf(changes, record);
    return await intent.finish(changes, options);
  }

  /** Ends a failed write and mirrors its outcome. */
  async function settleFailedWrite(write: Write, error: unknown): Promise<void> {
    const { place, intent, data } = write;
    if (!write.isSent || (!write.isUnmirrored && changedNothing(causeOf(error)))) {
      await intent.cancel();
      return;
    }
    try {
      await withDeadline(clock, OUTCOME_TIMEOUT_MS, (signal) =>
        mirrorOutcome({ ...place, session: accounts.session(place.account, signal) }, intent, data),
      );
    } catch (failure) {
      // The intent stays open and is settled once the provider responds.
      logger.warn('the outcome of a write is not known yet', { ...place.key, error: describeError(failure) });
    }
  }

  return {
    async writeTo(place, record, order) {
      requireMatch(order.ifMatch, recordEtag(record));
      const data = writeDataOf(targetOf(record), record.id, order.kind === 'delete');
      const about = { kind: order.kind, groupIds: [record.group.groupId], data };
      let reached: WriteReached;
      let unreadable: UnreadableObject | undefined;
      try {
        reached = await intents.openIntent(place, about, async (intent) => {
          const write: Write = { place, intent, data, isSent: false, isUnmirrored: false };
          try {
            const performed = await perform(write, record, order);
            unreadable = write.unreadable;
            return performed;
          } catch (error) {
            await settleFailedWrite(write, error);
            throw error;
          }
        });
      } catch (error) {
        if (ProviderError.isInstance(error) && error.reason === 'unreadable') {
          throw unreadableEvent({ objectId: record.id, reason: error.message });
        }
        throw toPublicError(error);
      }
      if (unreadable !== undefined) throw unreadableEvent({ objectId: record.id, reason: unreadable.reason });
      return await findLeft(place, record, reached);
    },
  };
}

/** Finds the record in the group that the intent has just begun to hold. */
function findHeld({ held }: EventIntent, eventId: string): EventRecord | undefined {
  return held && recordIn(held.items, eventId, held.timeZone);
}

/** Returns the written object when the answer shows it unreadable. */
function unreadableOf(changes: readonly EventChange[], record: EventRecord | undefined): UnreadableObject | undefined {
  const id = record !== undefined && 'item' in record ? record.item.event.providerEventId : undefined;
  for (const change of changes) {
    if (change.kind === 'unreadable') return change;
    const exceptions = change.kind === 'series' ? (change.unreadable ?? []) : [];
    const written = exceptions.find(({ providerEventId }) => providerEventId === id);
    if (written !== undefined) return written;
  }
  return undefined;
}

/** Returns the tag for the provider to check: an occurrence without an exception has its series' tag only. */
function providerTagOf(target: EventTarget): string | null {
  const isComputed = target.kind === 'occurrence' && target.current.providerEventId === '';
  return isComputed ? target.master.providerTag : target.current.providerTag;
}

/** The failure of a later part of a write, which says that the part before it stands. */
function halfDone(shown: unknown, cause: unknown): unknown {
  if (!KalendsError.isInstance(shown)) return shown;
  const { code, status, message, details, retryAfterMs } = shown;
  return new KalendsError(code, `The first part of the change was made, the second was not: ${message}`, {
    status,
    ...(details === undefined ? {} : { details }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause,
  });
}

function causeOf(error: unknown): unknown {
  return KalendsError.isInstance(error) && ProviderError.isInstance(error.cause) ? error.cause : error;
}
