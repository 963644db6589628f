import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import type { HeldIntent, IntentKeeper } from '../intents/index.ts';
import { createOnce, idempotencyOf, KEY_KEPT_MS } from '../intents/index.ts';
import type { Mirror } from '../mirror/index.ts';
import { storedCalendar } from '../mirror/index.ts';
import type { CollectionKey, ProviderCalendar, Storage } from '../ports/index.ts';

export interface CalendarCreationDeps {
  readonly storage: Pick<Storage, 'mirror' | 'intents' | 'schedule'>;
  readonly keeper: IntentKeeper;
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  /** Called after a calendar has been added to an account's list. */
  readonly listChanged: (list: CollectionKey) => Promise<void>;
}

export interface CalendarInput {
  readonly name: string;
  readonly hexColor?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
}

/** Data of an intent to create a calendar. */
interface CreationData {
  readonly name: string;
  /** Revision of the calendar list before the first request. */
  readonly since: number;
}

/** Creates calendars, once for each idempotency key. */
export interface CalendarCreation {
  create(
    account: ConnectedAccount,
    input: CalendarInput,
    repetition: { readonly key: string | undefined; readonly body: unknown },
  ): Promise<ProviderCalendar>;
  /** Finds out what became of a creation that its process has left. */
  settle(held: HeldIntent): Promise<void>;
}

export function createCalendarCreation(deps: CalendarCreationDeps): CalendarCreation {
  const { storage, keeper, accounts, mirror, listChanged } = deps;
  const store = storage.mirror;

  /**
   * The calendar that an earlier attempt may have made. No provider lets us choose an id or name a request, so it is the one
   * of this name that the list did not have before.
   */
  async function findMade(
    account: ConnectedAccount,
    key: CollectionKey,
    { name, since }: CreationData,
  ): Promise<ProviderCalendar | undefined> {
    await mirror.pull(account, null);
    const asOf = (await store.find(key))?.revision ?? 0;
    const touched = await store.listTouched(key, { since, until: asOf, limit: MOST_CANDIDATES });
    const ids = touched.map(({ groupId }) => groupId);
    const before = new Set((await store.readGroups(key, ids, since)).map(({ itemId }) => itemId));
    return (await store.readGroups(key, ids, asOf))
      .map(storedCalendar)
      .find((calendar) => calendar.name === name && !calendar.readOnly && !before.has(calendar.id));
  }

  async function finish(
    { provider }: ConnectedAccount,
    { ref, intent, basedOn }: HeldIntent,
    calendar: ProviderCalendar,
  ): Promise<number> {
    const end = { result: calendar, keepMs: KEY_KEPT_MS };
    const part = { id: ref.id, epoch: ref.epoch, end };
    const revision = await mirror.applyCalendars(intent.key, { calendar }, basedOn, provider.mappingVersion, part);
    await listChanged(intent.key);
    return revision;
  }

  /** The calendar that is there already, with what the first attempt may not have come to. */
  async function complete(account: ConnectedAccount, made: ProviderCalendar, { hexColor, timeZone }: CalendarInput) {
    const patch = {
      ...(hexColor == null || hexColor === made.hexColor ? {} : { hexColor }),
      ...(timeZone == null || timeZone === made.timeZone ? {} : { timeZone }),
    };
    if (Object.keys(patch).length === 0) return made;
    return await account.provider.calendars.update(accounts.session(account), made.id, patch);
  }

  return {
    async create(account, { name, hexColor, timeZone }, repetition) {
      const input = {
        name,
        ...(hexColor === undefined ? {} : { hexColor }),
        ...(timeZone === undefined ? {} : { timeZone }),
      };
      const key = { applicationId: account.row.applicationId, accountId: account.row.id, calendarId: null };
      const idempotency = idempotencyOf('createCalendar', key, repetition.key, repetition.body);
      const data: CreationData = { name, since: (await store.find(key))?.revision ?? 0 };
      const { value } = await createOnce<ProviderCalendar>(
        { intents: storage.intents, keeper },
        {
          key,
          idempotency,
          data,
          async perform(held, isRepeat) {
            const { calendars } = account.provider;
            const known = held.intent.data as CreationData;
            const made = isRepeat ? await findMade(account, key, known) : undefined;
            const calendar =
              made === undefined
                ? await calendars.create(accounts.session(account), input)
                : await complete(account, made, input);
            const revision = await finish(account, held, calendar);
            held.isOver = true;
            return { value: calendar, revision };
          },
        },
      );
      return value;
    },

    async settle(held) {
      const { key, data, idempotency } = held.intent;
      const account = await accounts.get(key.applicationId, key.accountId);
      // Without a key no repetition asks for it: the next pull of the list shows the calendar.
      const made = idempotency === null ? undefined : await findMade(account, key, data as CreationData);
      if (made !== undefined) {
        await finish(account, held, made);
        held.isOver = true;
      } else {
        await storage.schedule.hint(key);
        held.isOver = await storage.intents.end(held.ref, { keepMs: KEY_KEPT_MS });
      }
    },
  };
}

const MOST_CANDIDATES = 1_000;
