import type { AccountAccess } from '../../accounts/index.ts';
import type { HeldIntent, IntentKeeper } from '../../intents/index.ts';
import { KEY_KEPT_MS } from '../../intents/index.ts';
import type { Mirror, OwnWriteOptions } from '../../mirror/index.ts';
import { calendarRef } from '../../mirror/index.ts';
import { type EventChange, type IntentStore, type MirrorStore, ProviderError } from '../../ports/index.ts';
import { createdId } from './created-id.ts';
import type { EventIntent, IntentOpener, ResumeSeriesEdit } from './event-intent.ts';
import { mirrorOutcome, readWriteData } from './write-outcome.ts';
import type { WritePlace } from './write-place.ts';

/** Data of an intent to create an event. */
interface CreateData {
  /** The creation may take several calls; a request with the same key repeats them. */
  readonly mayBePartial: boolean;
  /** Under which the provider knows it, where that is not the intent's id. */
  readonly requestId?: string;
  readonly iCalUid?: string;
}

export interface EventIntentsDeps {
  readonly intents: IntentStore;
  readonly keeper: IntentKeeper;
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  readonly store: MirrorStore;
  /** Without it, a series whose edit was abandoned is mirrored as it stands. */
  readonly resumeSeriesEdit?: ResumeSeriesEdit;
}

/** Opens intents to write events, and settles abandoned ones. */
export interface EventIntents extends IntentOpener {
  /** Binds a held intent to the mirror of its calendar. */
  toEventIntent(place: WritePlace, held: HeldIntent): EventIntent;
  /**
   * Reads the outcome of an abandoned intent and mirrors it. Only the steps of a series edit are sent again: the user may have
   * changed any other event since.
   */
  settle(held: HeldIntent): Promise<void>;
}

export function createEventIntents(deps: EventIntentsDeps): EventIntents {
  const { intents, keeper, accounts, mirror, store, resumeSeriesEdit } = deps;

  function toEventIntent(place: WritePlace, held: HeldIntent): EventIntent {
    const { ref, basedOn } = held;
    let data = held.intent.data;
    let known = held.held && { ...held.held, groupIds: held.intent.groupIds };
    const apply = async (
      changes: readonly EventChange[],
      options: Pick<OwnWriteOptions, 'deletedId' | 'isNew'>,
      end?: { readonly result: unknown },
    ) => {
      // Of a commit that fails, a part may have been made.
      const held = known;
      known = undefined;
      return await mirror.applyEvents(place.key, changes, basedOn, place.account.provider.mappingVersion, {
        ...options,
        ...(held === undefined ? {} : { held }),
        intent: {
          id: ref.id,
          epoch: ref.epoch,
          ...(end === undefined ? {} : { end: { ...end, keepMs: KEY_KEPT_MS } }),
        },
      });
    };
    return {
      ref,
      get data() {
        return data;
      },
      get held() {
        return known;
      },
      async record(next, hold = {}) {
        await intents.record(ref, { data: next, ...hold });
        data = next;
      },
      apply: (changes, options = {}) => apply(changes, options),
      async finish(changes, { result, ...options } = {}) {
        const reached = await apply(changes, options, { result });
        held.isOver = true;
        return reached;
      },
      async cancel() {
        held.isOver = await intents.end(ref);
      },
    };
  }

  async function findPlace({ intent: { key } }: HeldIntent): Promise<WritePlace | undefined> {
    const account = await accounts.get(key.applicationId, key.accountId);
    const calendar = await mirror.findCalendar(account, key.calendarId ?? '');
    if (calendar === undefined) return undefined;
    const { timeZone } = (await store.find(key)) ?? {};
    return { account, key, calendar: calendarRef(calendar, timeZone), session: accounts.session(account) };
  }

  async function settleCreate(place: WritePlace, held: HeldIntent): Promise<void> {
    const { account, calendar, session } = place;
    const { ref, intent } = held;
    const data = intent.data as CreateData | null;
    const { events } = account.provider;
    const found = await events.findCreated(session, calendar, data?.requestId ?? intent.id, data?.iCalUid);
    const changes = found.filter(({ kind }) => kind !== 'deleted');
    const isPartial = intent.idempotency !== null && data?.mayBePartial === true;
    if (changes.length > 0 && !isPartial) {
      await toEventIntent(place, held).finish(changes, { result: { itemId: createdId(changes) } });
      return;
    }
    if (changes.length > 0) await toEventIntent(place, held).apply(changes);
    // The request may still be in flight, or its exclusions unsent: a request with the key repeats it under the same id.
    held.isOver = await intents.end(ref, { keepMs: KEY_KEPT_MS });
  }

  async function settleIn(place: WritePlace, held: HeldIntent): Promise<void> {
    const { kind, data } = held.intent;
    const intent = toEventIntent(place, held);
    if (kind === 'create') await settleCreate(place, held);
    else if (kind === 'series-edit' && resumeSeriesEdit !== undefined) await resumeSeriesEdit(place, intent);
    else await mirrorOutcome(place, intent, readWriteData(data, held.intent.groupIds));
  }

  async function settle(held: HeldIntent): Promise<void> {
    const place = await findPlace(held);
    try {
      if (place !== undefined) return await settleIn(place, held);
    } catch (error) {
      // The calendar is gone, and every event in it.
      if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
    }
    held.isOver = await intents.end(held.ref);
  }

  return {
    toEventIntent,
    openIntent: (place, order, work) =>
      keeper.hold(
        { ...order, key: place.key, holdsNewItems: false, idempotency: null },
        (held) => work(toEventIntent(place, held)),
        settle,
      ),
    settle,
  };
}
