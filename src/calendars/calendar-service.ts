import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import type { CalendarService, Caller } from '../engine-interface.ts';
import { invalid, KalendsError } from '../errors.ts';
import type { CalendarOutcome, Mirror } from '../mirror/index.ts';
import { createViewTokens, noCalendar, storedCalendar } from '../mirror/index.ts';
import {
  type CalendarListQuery,
  calendarCreate,
  calendarListQuery,
  calendarUpdate,
  PAGE_SIZE,
  parseInput,
} from '../model/index.ts';
import {
  type Clock,
  type CollectionKey,
  type MirrorStore,
  type ProviderCalendar,
  ProviderError,
  type ProviderSession,
  type Storage,
  type UnreadableRow,
} from '../ports/index.ts';
import type { TokenSealer } from '../runtime/index.ts';
import { resolveZone } from '../zones/index.ts';
import type { CalendarCreation } from './calendar-creation.ts';
import { listCalendars } from './calendar-list.ts';
import { presentCalendar } from './calendar-view.ts';

export interface CalendarServiceDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  readonly creation: CalendarCreation;
  /** Sealers of two purposes of their own. */
  readonly syncTokens: TokenSealer;
  readonly pageTokens: TokenSealer;
  readonly syncTokenLifetimeMs: number;
  readonly clock: Clock;
  /** The public error of a ProviderError; others as they are. */
  readonly toPublicError: (error: unknown) => unknown;
}

/** The calendars of an account: read from the mirror, written through to the provider. */
export function createCalendarService(deps: CalendarServiceDeps): CalendarService {
  const { storage, accounts, mirror, creation, clock, toPublicError } = deps;
  const store = storage.mirror;
  const tokens = createViewTokens<null>({
    sync: deps.syncTokens,
    page: deps.pageTokens,
    clock,
    lifetimeMs: deps.syncTokenLifetimeMs,
  });

  async function requireCalendar(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar> {
    const { key } = await mirror.openCalendars(account);
    const item = await store.findItem(key, calendarId);
    const calendar = item === undefined ? await mirror.findCalendar(account, calendarId) : storedCalendar(item);
    if (calendar === undefined) throw await missingCalendar(store, key, calendarId);
    return calendar;
  }

  /** Waits for the provider and mirrors what it made of the calendar, or that its answer cannot be read. */
  async function writeThrough(
    account: ConnectedAccount,
    calendarId: string,
    work: (session: ProviderSession) => Promise<ProviderCalendar>,
  ): Promise<ProviderCalendar> {
    const basedOn = await listRevision(account);
    const apply = (outcome: CalendarOutcome) =>
      mirror.applyCalendars(listKey(account), outcome, basedOn, account.provider.mappingVersion);
    let calendar: ProviderCalendar;
    try {
      calendar = await doubtful(account, work(accounts.session(account)));
    } catch (error) {
      if (!(ProviderError.isInstance(error) && error.reason === 'unreadable')) throw toPublicError(error);
      await apply({ unreadableId: calendarId, reason: error.message });
      throw unreadableCalendar({ objectId: calendarId, reason: error.message });
    }
    await apply({ calendar });
    return calendar;
  }

  /** A write that failed may have been done in part, or whole with a lost answer: the next reader waits for the list. */
  async function doubtful<Result>(account: ConnectedAccount, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      await storage.schedule.hint(listKey(account));
      throw error;
    }
  }

  /** Noted before a request: what is mirrored after that is newer than its answer may be. */
  async function listRevision(account: ConnectedAccount): Promise<number> {
    return (await store.find(listKey(account)))?.writeCount ?? 0;
  }

  async function asPublic<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      throw toPublicError(error);
    }
  }

  async function list(caller: Caller, accountId: string, query: CalendarListQuery = {}) {
    const { pageToken, syncToken, limit, pageSize } = parseInput(calendarListQuery, query);
    if (limit !== undefined && pageSize !== undefined && limit !== pageSize) {
      throw invalid('pageSize', 'must equal limit, which is the same parameter');
    }
    const account = await accounts.get(caller.applicationId, accountId);
    const snapshot = await mirror.openCalendars(account);
    return await listCalendars(store, tokens, snapshot, {
      pageToken,
      syncToken,
      limit: limit ?? pageSize,
      defaultLimit: PAGE_SIZE.calendars.default,
    });
  }

  return {
    // Deletions are in answers to sync tokens alone.
    list: list as CalendarService['list'],

    async get(caller, accountId, calendarId) {
      const account = await accounts.get(caller.applicationId, accountId);
      return presentCalendar(await requireCalendar(account, calendarId));
    },

    async create(caller, accountId, body, { idempotencyKey } = {}) {
      const input = withZone(parseInput(calendarCreate, body));
      const account = await accounts.get(caller.applicationId, accountId);
      // Its list has to be there before the new calendar can be added to it.
      await mirror.openCalendars(account);
      const made = creation.create(account, input, { key: idempotencyKey, body });
      return presentCalendar(await asPublic(doubtful(account, made)));
    },

    async update(caller, accountId, calendarId, body) {
      const patch = withZone(parseInput(calendarUpdate, body));
      const account = await accounts.get(caller.applicationId, accountId);
      const calendar = await requireCalendar(account, calendarId);
      if (isChange(patch, calendar)) requireWritable(calendar);
      if (calendar.readOnly || Object.keys(patch).length === 0) return presentCalendar(calendar);
      const { calendars } = account.provider;
      return presentCalendar(
        await writeThrough(account, calendarId, (session) => calendars.update(session, calendarId, patch)),
      );
    },

    async delete(caller, accountId, calendarId) {
      const account = await accounts.get(caller.applicationId, accountId);
      const calendar = await requireCalendar(account, calendarId);
      if (calendar.isPrimary) throw new KalendsError('Forbidden', 'The primary calendar cannot be deleted.');
      const { calendars, mappingVersion } = account.provider;
      const basedOn = await listRevision(account);
      await asPublic(doubtful(account, calendars.delete(accounts.session(account), calendarId)));
      await mirror.applyCalendars(listKey(account), { deletedId: calendarId }, basedOn, mappingVersion);
    },
  };
}

interface ZoneInput {
  readonly timeZone?: string | null | undefined;
}

/** Fields that were sent, the zone as an IANA name. @throws KalendsError InvalidRequest */
function withZone<Input extends ZoneInput>(input: Input): Input {
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Input;
  const { timeZone } = sent;
  if (timeZone === undefined || timeZone === null) return sent;
  const zone = resolveZone(timeZone);
  if (zone === undefined) throw invalid('timeZone', `"${timeZone}" is not a known IANA or Windows time zone name`);
  return { ...sent, timeZone: zone };
}

function isChange(patch: Readonly<Record<string, unknown>>, calendar: ProviderCalendar): boolean {
  const stored: Readonly<Record<string, unknown>> = { ...calendar };
  return Object.entries(patch).some(([field, value]) => stored[field] !== value);
}

function requireWritable(calendar: ProviderCalendar): void {
  if (calendar.readOnly) throw new KalendsError('CalendarReadOnly', 'The calendar cannot be modified by this account.');
}

function listKey({ row }: ConnectedAccount): CollectionKey {
  return { applicationId: row.applicationId, accountId: row.id, calendarId: null };
}

/** Creates the error for a calendar that the mirror does not have: the provider may have it and send it unreadable. */
async function missingCalendar(
  store: Pick<MirrorStore, 'findUnreadable'>,
  key: CollectionKey,
  calendarId: string,
): Promise<KalendsError> {
  const object = await store.findUnreadable(key, calendarId);
  return object === undefined ? noCalendar() : unreadableCalendar(object);
}

function unreadableCalendar({ objectId, reason }: Pick<UnreadableRow, 'objectId' | 'reason'>): KalendsError {
  const message = `The provider's calendar ${objectId} cannot be read: ${reason}.`;
  return new KalendsError('ProviderError', message, { details: [{ path: objectId, message: reason }] });
}
