import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import { KalendsError } from '../errors.ts';
import type {
  CalendarContext,
  Clock,
  CollectionKey,
  Logger,
  ProviderCalendar,
  Random,
  Storage,
} from '../ports/index.ts';
import type { Mirror, MirrorPulls, MirrorSnapshot } from './mirror.ts';
import { applyCalendarWrite, applyEventWrite } from './own-writes.ts';
import { storedCalendar } from './stored-calendar.ts';

export interface MirrorDeps {
  readonly storage: Pick<Storage, 'mirror' | 'reads' | 'schedule'>;
  readonly accounts: AccountAccess;
  readonly pulls: MirrorPulls;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called after a commit that enqueued messages. */
  readonly enqueued: () => void;
  /** Wakes the background pulls. */
  readonly wake: () => void;
}

/** Creates the mirror over a storage and the pulls that keep it up to date. */
export function createMirror(deps: MirrorDeps): Mirror {
  const { storage, accounts, pulls, wake } = deps;

  async function open(
    account: ConnectedAccount,
    calendarId: string | null,
    known?: CalendarContext,
  ): Promise<MirrorSnapshot> {
    const key = keyOf(account, calendarId);
    return { key, ...(await pulls.open(account, key, known)) };
  }

  async function openEvents(account: ConnectedAccount, calendarId: string): Promise<MirrorSnapshot> {
    await getCalendar(account, calendarId);
    return await open(account, calendarId);
  }

  async function findInList(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar | undefined> {
    const item = await storage.mirror.findItem(keyOf(account, null), calendarId);
    return item === undefined ? undefined : storedCalendar(item);
  }

  async function findCalendar(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar | undefined> {
    const known = await findInList(account, calendarId);
    if (known !== undefined) return known;
    const list = await storage.mirror.find(keyOf(account, null));
    if (list === undefined || list.completedAt === null) {
      await open(account, null);
      const listed = await findInList(account, calendarId);
      if (listed !== undefined) return listed;
    }
    await pulls.pull(account, keyOf(account, null));
    return await findInList(account, calendarId);
  }

  async function getCalendar(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar> {
    const calendar = await findCalendar(account, calendarId);
    if (calendar === undefined) throw noCalendar();
    return calendar;
  }

  return {
    openCalendars: (account) => open(account, null),
    openEvents,
    async startReading(applicationId, accountId, calendarIds) {
      const start = await storage.reads.start(applicationId, accountId, calendarIds);
      const account = await accounts.get(applicationId, accountId, start?.account);
      const known = new Map(start?.calendars.map((calendar) => [calendar.calendarId, calendar]));
      return {
        account,
        async open(calendarId) {
          const calendar = known.get(calendarId);
          return calendar?.isListed === true
            ? await open(account, calendarId, calendar)
            : await openEvents(account, calendarId);
        },
      };
    },
    async startWriting(key, ids) {
      const { applicationId, accountId, calendarId } = key;
      const start = await storage.reads.startWrite(key, ids);
      const account = await accounts.get(applicationId, accountId, start?.account);
      const [known] = start?.calendars ?? [];
      if (start?.listed === undefined || known?.isListed !== true) {
        const snapshot = await openEvents(account, calendarId);
        return { account, snapshot, calendar: await getCalendar(account, calendarId), items: undefined };
      }
      const snapshot = await open(account, calendarId, known);
      // A pull has changed what was looked up before it.
      const isCurrent = snapshot.state === known.state;
      const calendar = isCurrent ? storedCalendar(start.listed) : await getCalendar(account, calendarId);
      return { account, snapshot, calendar, items: isCurrent ? start.items : undefined };
    },
    findCalendar,
    async pull(account, calendarId) {
      if (calendarId !== null) await getCalendar(account, calendarId);
      await pulls.pull(account, keyOf(account, calendarId));
    },
    applyEvents: (key, changes, basedOn, mappingVersion, options) =>
      applyEventWrite(deps, key, changes, basedOn, mappingVersion, options),
    applyCalendars: (key, outcome, basedOn, mappingVersion, intent) =>
      applyCalendarWrite(deps, key, outcome, basedOn, mappingVersion, intent),
    async requestReread(key, itemIds) {
      await storage.mirror.addRereads(key, itemIds);
      // The ids leave out the event of a creation.
      await storage.schedule.hint(key);
      wake();
    },
  };
}

/** Creates the error for a calendar that the account does not have. */
export function noCalendar(): KalendsError {
  return new KalendsError('NotFound', 'The account has no such calendar.');
}

function keyOf({ row }: ConnectedAccount, calendarId: string | null): CollectionKey {
  return { applicationId: row.applicationId, accountId: row.id, calendarId };
}
