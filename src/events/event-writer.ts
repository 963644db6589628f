import type { AccountAccess } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import { wasRefused } from '../intents/provider-outcome.ts';
import {
  type CalendarRef,
  type Clock,
  type EventChange,
  type EventTarget,
  type Logger,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
  type WriteOptions,
} from '../ports/index.ts';
import { describeError, withDeadline } from '../runtime/index.ts';
import { type EventLocator, noEvent, targetOf } from './event-locator.ts';
import { memberEtag } from './event-presenter.ts';
import type { Member } from './group-members.ts';
import type { HeldIntent, IntentRoom } from './intents/held-intent.ts';
import { mirrorOutcome, type WriteData, writeDataOf } from './intents/write-outcome.ts';
import type { WritePlace } from './intents/write-place.ts';
import { requireMatch } from './precondition.ts';

export interface EventWriterDeps {
  readonly accounts: AccountAccess;
  readonly intents: IntentRoom;
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

/** What is to be done to a record. */
export interface WriteOrder {
  readonly kind: 'update' | 'delete' | 'respond';
  readonly ifMatch: string | undefined;
  /** Done one after the other, each to what the one before has made of the record. */
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
  writeTo(place: WritePlace, member: Member, order: WriteOrder): Promise<Member | undefined>;
}

/** How long a caller is kept waiting for the news of what became of a failed write. */
const LOOK_MS = 5_000;

interface Write {
  readonly place: WritePlace;
  readonly intent: HeldIntent;
  readonly data: WriteData;
  /** Whether the provider has been told anything. */
  isSent: boolean;
  /** Whether the provider has done something that the mirror does not show yet: no failure is a refusal then. */
  isDone: boolean;
}

export function createEventWriter(deps: EventWriterDeps): EventWriter {
  const { accounts, intents, clock, logger, locator, toPublicError } = deps;

  async function call(write: Write, member: Member, ifMatch: string | undefined, doIt: TargetedCall) {
    const { account, calendar } = write.place;
    const target = targetOf(member);
    const tag = ifMatch === undefined ? null : tagOf(target);
    write.isSent = true;
    const options = tag === null ? {} : { ifMatch: tag };
    return await doIt(account.provider.events, accounts.session(account), calendar, target, options);
  }

  /** Reads an object again after the provider has contradicted the mirror. */
  async function reread({ place, intent }: Write, member: Member): Promise<void> {
    const { account, calendar } = place;
    const target = targetOf(member);
    const id = target.kind === 'event' ? target.providerEventId : target.seriesId;
    await intent.apply(await account.provider.events.get(accounts.session(account), calendar, id));
  }

  async function checkedCall(write: Write, member: Member, ifMatch: string | undefined, doIt: TargetedCall) {
    try {
      return await call(write, member, ifMatch, doIt);
    } catch (error) {
      if (!ProviderError.isInstance(error)) throw error;
      if (error.reason !== 'precondition-failed' && error.reason !== 'not-found') throw error;
      await reread(write, member);
      const now = await require(write.place, member.id);
      if (error.reason === 'not-found') throw error;
      if (memberEtag(now) !== memberEtag(member)) {
        throw new KalendsError('PreconditionFailed', 'The event was changed in the meantime.', { cause: error });
      }
      return await call(write, now, ifMatch, doIt);
    }
  }

  async function require(place: WritePlace, eventId: string): Promise<Member> {
    const member = await locator.find(place.key, eventId);
    if (member === undefined) throw noEvent();
    return member;
  }

  async function perform(write: Write, eventId: string, { ifMatch, calls }: WriteOrder): Promise<void> {
    const { place, intent, data } = write;
    const options = data.aimedAt === null ? {} : { aimedAt: eventId };
    // Whoever held the group before may have changed it.
    let member: Member | undefined = await require(place, eventId);
    requireMatch(ifMatch, memberEtag(member));
    let changes: readonly EventChange[] = [];
    for (const [index, doIt] of calls.entries()) {
      if (index > 0) {
        await intent.apply(changes, options);
        write.isDone = false;
        changes = [];
        member = await locator.find(place.key, eventId);
      }
      if (member === undefined) break;
      try {
        changes = await checkedCall(write, member, index === 0 ? ifMatch : undefined, doIt);
        write.isDone = true;
      } catch (error) {
        throw index === 0 ? error : halfDone(toPublicError(error), error);
      }
    }
    await intent.finish(changes, options);
  }

  /** Ends a write that failed: the mirror is to show what it has come to. */
  async function wind(write: Write, error: unknown): Promise<void> {
    const { place, intent, data } = write;
    if (!write.isSent || (!write.isDone && wasRefused(causeOf(error)))) {
      await intent.cancel();
      return;
    }
    try {
      await withDeadline(clock, LOOK_MS, (signal) =>
        mirrorOutcome(place, intent, accounts.session(place.account, signal), data),
      );
    } catch (failure) {
      // Left open, it is looked into as soon as the provider can be asked.
      logger.warn('what became of a write is not known yet', { ...place.key, error: describeError(failure) });
    }
  }

  return {
    async writeTo(place, member, order) {
      requireMatch(order.ifMatch, memberEtag(member));
      const data = writeDataOf(targetOf(member), member.id, order.kind === 'delete');
      const about = { kind: order.kind, groupIds: [member.group.groupId], data };
      try {
        await intents.under(place, about, async (intent) => {
          const write: Write = { place, intent, data, isSent: false, isDone: false };
          try {
            await perform(write, member.id, order);
          } catch (error) {
            await wind(write, error);
            throw error;
          }
        });
      } catch (error) {
        throw toPublicError(error);
      }
      return await locator.find(place.key, member.id);
    },
  };
}

/** What the provider is to check. An occurrence that is no exception yet has no version but its series'. */
function tagOf(target: EventTarget): string | null {
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
