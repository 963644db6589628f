import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import {
  type CalendarRef,
  type Clock,
  type CollectionKey,
  type EventChange,
  type EventTarget,
  type LeaseStore,
  type MirrorStore,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
  type WriteOptions,
} from '../ports/index.ts';
import { createLeaseLock, LeaseHeldError } from '../sync/lease-lock.ts';
import type { Mirror } from '../sync/mirror.ts';
import { type EventLocator, noEvent, targetOf } from './event-locator.ts';
import { memberEtag } from './event-presenter.ts';
import type { Member } from './group-members.ts';
import { requireMatch } from './precondition.ts';

export interface EventWriterDeps {
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  readonly store: MirrorStore;
  readonly leases: LeaseStore;
  readonly clock: Clock;
  readonly locator: EventLocator;
  readonly toPublicError: (error: unknown) => unknown;
}

/** A call of the provider port with everything but its subject filled in. */
export type ProviderCall = (
  events: ProviderEvents,
  session: ProviderSession,
  calendar: CalendarRef,
) => Promise<readonly EventChange[]>;

/** A write to one existing object. */
export type TargetedCall = (
  events: ProviderEvents,
  session: ProviderSession,
  calendar: CalendarRef,
  target: EventTarget,
  options: WriteOptions,
) => Promise<readonly EventChange[]>;

/** Where a write goes. */
export interface WritePlace {
  readonly account: ConnectedAccount;
  readonly key: CollectionKey;
  readonly calendar: CalendarRef;
}

/** Writes through: the provider first, then its answer into the mirror. */
export interface EventWriter {
  /** Calls the provider and mirrors the answer. @throws KalendsError the public form of the provider's failure */
  write(place: WritePlace, call: ProviderCall): Promise<readonly EventChange[]>;
  /**
   * Writes to a record. With `ifMatch` its etag must satisfy it, and the provider's own tag must still hold: when it does
   * not, the record is read again, and the write repeated once if what is shown has not changed. Records of one group that
   * have no tag of their own are written one at a time, each as the one before has left it.
   * @throws KalendsError PreconditionFailed, Conflict when others have been writing to it for too long
   */
  writeTo(
    place: WritePlace,
    member: Member,
    ifMatch: string | undefined,
    call: TargetedCall,
  ): Promise<readonly EventChange[]>;
}

export function createEventWriter(deps: EventWriterDeps): EventWriter {
  const { accounts, mirror, store, locator, toPublicError } = deps;
  const lock = createLeaseLock(deps.leases, deps.clock, WRITE_LEASE_MS);

  async function callAndMirror({ account, key, calendar }: WritePlace, call: ProviderCall, aimedAt?: string) {
    const basedOn = (await store.find(key))?.revision ?? 0;
    const { events, mappingVersion } = account.provider;
    const changes = await call(events, accounts.session(account), calendar);
    await mirror.applyEvents(key, changes, basedOn, mappingVersion, aimedAt);
    return changes;
  }

  function callOn(place: WritePlace, member: Member, ifMatch: string | undefined, call: TargetedCall) {
    const target = targetOf(member);
    const tag = ifMatch === undefined ? null : tagOf(target);
    const options = tag === null ? {} : { ifMatch: tag };
    const aimed: ProviderCall = (events, session, calendar) => call(events, session, calendar, target, options);
    return callAndMirror(place, aimed, member.id);
  }

  /** Reads an object again after the provider has contradicted the mirror. */
  function reread(place: WritePlace, member: Member) {
    const target = targetOf(member);
    const id = target.kind === 'event' ? target.providerEventId : target.seriesId;
    return callAndMirror(place, (events, session, calendar) => events.get(session, calendar, id));
  }

  function checkedCall(place: WritePlace, member: Member, ifMatch: string | undefined, call: TargetedCall) {
    return callOn(place, member, ifMatch, call).catch((error) => recover(place, member, ifMatch, call, error));
  }

  async function recover(
    place: WritePlace,
    member: Member,
    ifMatch: string | undefined,
    call: TargetedCall,
    error: unknown,
  ): Promise<readonly EventChange[]> {
    if (!ProviderError.isInstance(error)) throw error;
    if (error.reason !== 'precondition-failed' && error.reason !== 'not-found') throw error;
    await reread(place, member);
    const now = await locator.find(place.key, member.id);
    if (now === undefined) throw noEvent();
    if (error.reason === 'not-found') throw error;
    if (memberEtag(now) !== memberEtag(member)) {
      throw new KalendsError('PreconditionFailed', 'The event was changed in the meantime.', { cause: error });
    }
    return await callOn(place, now, ifMatch, call);
  }

  return {
    async write(place, call) {
      try {
        return await callAndMirror(place, call);
      } catch (error) {
        throw toPublicError(error);
      }
    },
    async writeTo(place, member, ifMatch, call) {
      requireMatch(ifMatch, memberEtag(member));
      try {
        // Of what has a tag the provider lets one of two writers through; of an occurrence that is no exception yet, both.
        if (targetOf(member).current.providerTag !== null) return await checkedCall(place, member, ifMatch, call);
        return await lock(writeLeaseName(place.key, member), async () => {
          const now = await locator.find(place.key, member.id);
          if (now === undefined) throw noEvent();
          requireMatch(ifMatch, memberEtag(now));
          return await checkedCall(place, now, ifMatch, call);
        });
      } catch (error) {
        throw toPublicError(error instanceof LeaseHeldError ? busy(error) : error);
      }
    },
  };
}

/** Longer than a write takes, the provider's retries included. */
const WRITE_LEASE_MS = 120_000;
const BUSY_RETRY_MS = 5_000;

function writeLeaseName({ applicationId, accountId, calendarId }: CollectionKey, { group }: Member): string {
  return `write:${applicationId}:${accountId}:${calendarId}:${group.groupId}`;
}

/** What the provider is to check. An occurrence that is no exception yet has no version but its series'. */
function tagOf(target: EventTarget): string | null {
  const isComputed = target.kind === 'occurrence' && target.current.providerEventId === '';
  return isComputed ? target.master.providerTag : target.current.providerTag;
}

function busy(cause: LeaseHeldError): KalendsError {
  const options = { cause, retryAfterMs: BUSY_RETRY_MS };
  return new KalendsError('Conflict', 'Another write to this series is under way.', options);
}
