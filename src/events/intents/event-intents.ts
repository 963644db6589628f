import type { AccountAccess } from '../../accounts/account-access.ts';
import { KEY_KEPT_MS } from '../../intents/create-once.ts';
import type { IntentKeeper } from '../../intents/intent-keeper.ts';
import type { TrackedIntent } from '../../intents/tracked-intent.ts';
import { type IntentStore, type MirrorStore, ProviderError, type ProviderSession } from '../../ports/index.ts';
import type { Mirror } from '../../sync/mirror.ts';
import { calendarRef } from '../../sync/stored-calendar.ts';
import { createdId } from './created-id.ts';
import type { HeldIntent, IntentRoom, ResumeSplit } from './held-intent.ts';
import { mirrorOutcome, readWriteData } from './write-outcome.ts';
import type { WritePlace } from './write-place.ts';

/** What the intent to create an event remembers. */
interface CreateData {
  /** A provider may need more than one call for it: whoever comes with the key repeats them. */
  readonly mayBePartial: boolean;
}

export interface EventIntentsDeps {
  readonly intents: IntentStore;
  readonly keeper: IntentKeeper;
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  readonly store: MirrorStore;
  /** Without it a split that was left behind is mirrored as it stands. */
  readonly resumeSplit?: ResumeSplit;
}

/** Intents about events: opened by writers, settled where they were left behind. */
export interface EventIntents extends IntentRoom {
  /** An intent in the hands of its worker. */
  inHands(place: WritePlace, tracked: TrackedIntent): HeldIntent;
  /**
   * Finds out what became of an intent that its process has left, and mirrors it. Nothing is sent again, for the user may
   * have changed the event since; only the steps of a split are.
   */
  settle(tracked: TrackedIntent): Promise<void>;
}

export function createEventIntents(deps: EventIntentsDeps): EventIntents {
  const { intents, keeper, accounts, mirror, store, resumeSplit } = deps;

  function inHands(place: WritePlace, tracked: TrackedIntent): HeldIntent {
    const { ref, writes } = tracked;
    let data = tracked.intent.data;
    const apply = (changes: Parameters<HeldIntent['apply']>[0], aimedAt: string | undefined, end?: object) =>
      mirror.applyEvents(place.key, changes, writes, place.account.provider.mappingVersion, {
        ...(aimedAt === undefined ? {} : { aimedAt }),
        intent: {
          id: ref.id,
          epoch: ref.epoch,
          ...(end === undefined ? {} : { end: { ...end, keepMs: KEY_KEPT_MS } }),
        },
      });
    return {
      ref,
      get data() {
        return data;
      },
      async record(next, hold = {}) {
        await intents.record(ref, { data: next, ...hold });
        data = next;
      },
      async apply(changes, { aimedAt } = {}) {
        await apply(changes, aimedAt);
      },
      async finish(changes, { aimedAt, result } = {}) {
        const reached = await apply(changes, aimedAt, { result });
        tracked.isOver = true;
        return reached;
      },
      async cancel() {
        tracked.isOver = await intents.end(ref);
      },
    };
  }

  async function findPlace({ intent: { key } }: TrackedIntent): Promise<WritePlace | undefined> {
    const account = await accounts.get(key.applicationId, key.accountId);
    const calendar = await mirror.findCalendar(account, key.calendarId ?? '');
    if (calendar === undefined) return undefined;
    return { account, key, calendar: calendarRef(calendar, (await store.find(key))?.timeZone) };
  }

  async function settleCreate(place: WritePlace, tracked: TrackedIntent, session: ProviderSession): Promise<void> {
    const { account, calendar } = place;
    const { ref, intent } = tracked;
    const changes = await account.provider.events.findCreated(session, calendar, intent.id);
    const isPartial = intent.idempotency !== null && (intent.data as CreateData | null)?.mayBePartial === true;
    if (changes.length > 0 && !isPartial) {
      await inHands(place, tracked).finish(changes, { result: { itemId: createdId(changes) } });
      return;
    }
    if (changes.length > 0) await inHands(place, tracked).apply(changes);
    // The request may still be on its way, or its exclusions have not been sent: whoever comes with the key repeats it under the same id.
    tracked.isOver = await intents.end(ref, { keepMs: KEY_KEPT_MS });
  }

  async function settleIn(place: WritePlace, tracked: TrackedIntent): Promise<void> {
    const session = accounts.session(place.account);
    const { kind, data } = tracked.intent;
    const hands = inHands(place, tracked);
    if (kind === 'create') await settleCreate(place, tracked, session);
    else if (kind === 'split' && resumeSplit !== undefined) await resumeSplit(place, hands);
    else await mirrorOutcome(place, hands, session, readWriteData(data, tracked.intent.groupIds));
  }

  return {
    inHands,
    under: (place, order, work) =>
      keeper.hold(
        {
          key: place.key,
          kind: order.kind,
          groupIds: order.groupIds,
          holdsNewItems: order.holdsNewItems === true,
          data: order.data,
          idempotency: null,
        },
        (tracked) => work(inHands(place, tracked)),
      ),
    async settle(tracked) {
      const place = await findPlace(tracked);
      try {
        if (place !== undefined) return await settleIn(place, tracked);
      } catch (error) {
        // With the calendar everything in it has gone.
        if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
      }
      tracked.isOver = await intents.end(tracked.ref);
    },
  };
}
