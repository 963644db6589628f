import { invalid, KalendsError } from '../../errors.ts';
import type { Slot } from '../../free-busy/index.ts';
import { type Mirror, type MirrorReading, storedCalendar } from '../../mirror/index.ts';
import type { Storage } from '../../ports/index.ts';
import { type BusySpan, createBusyReader } from './busy-reader.ts';

/** Most calendars of an account that names none. */
const MOST_OWN = 50;
/** Most calendars that are looked through for those. */
const MOST_LISTED = 1_000;

/** Calendars of an account to read; without ids, those that are its own. */
export interface AccountRequest {
  readonly accountId: string;
  readonly calendarIds: readonly string[] | undefined;
  /** Path of the request in the caller's body, such as `accounts.0`. */
  readonly path: string;
}

/** Busy time of the calendars of one account, or why it is not known. */
export type AccountBusy =
  | { readonly calendars: readonly { readonly calendarId: string; readonly spans: readonly BusySpan[] }[] }
  | { readonly error: KalendsError };

export interface AccountBusyReader {
  /**
   * Reads the busy time of accounts that meets a window, in the order of the requests. What one account fails with stands in its
   * place; spans are in any order.
   * @throws KalendsError NotFound, naming the request, when the application has no such account
   */
  read(applicationId: string, requests: readonly AccountRequest[], window: Slot): Promise<readonly AccountBusy[]>;
}

export interface AccountBusyDeps {
  readonly storage: Pick<Storage, 'mirror'>;
  readonly mirror: Mirror;
}

/** Reads the busy time of many accounts: pulled first where the mirror is too old, then with one statement. */
export function createAccountBusyReader({ storage, mirror }: AccountBusyDeps): AccountBusyReader {
  const reader = createBusyReader(storage.mirror);

  /** Starts a read of each account: all at once, so that one statement looks them up. */
  const start = (applicationId: string, { accountId, calendarIds = [], path }: AccountRequest) =>
    caught(
      mirror.startReading(applicationId, accountId, [...new Set(calendarIds)]).catch((error: unknown) => {
        throw isNotFound(error) ? atPath(error, `${path}.endUserAccountId`) : error;
      }),
    );

  async function ownCalendars(reading: MirrorReading, { path }: AccountRequest): Promise<readonly string[]> {
    const { key, state } = await mirror.openCalendars(reading.account);
    const listed = await storage.mirror.readListed(key, { asOf: state.revision, limit: MOST_LISTED });
    const own = listed.map(storedCalendar).filter(({ isShared }) => !isShared);
    if (own.length > MOST_OWN)
      throw invalid(`${path}.calendarIds`, `is required: the account has more than ${MOST_OWN} calendars of its own`);
    return own.map(({ id }) => id);
  }

  /** Opens the calendars of an account, and returns their ids. */
  async function open(applicationId: string, reading: MirrorReading, request: AccountRequest) {
    const ids = request.calendarIds ?? (await ownCalendars(reading, request));
    const { open: openOne } =
      request.calendarIds === undefined ? await mirror.startReading(applicationId, request.accountId, ids) : reading;
    await Promise.all(
      [...new Set(ids)].map((id) =>
        openOne(id).catch((error: unknown) => {
          throw isNotFound(error) ? atPath(error, `${request.path}.calendarIds.${ids.indexOf(id)}`) : error;
        }),
      ),
    );
    return ids;
  }

  return {
    async read(applicationId, requests, window) {
      const readings = await Promise.all(requests.map((request) => start(applicationId, request)));
      const unknown = readings.find((outcome) => 'error' in outcome && isNotFound(outcome.error));
      if (unknown !== undefined && 'error' in unknown) throw unknown.error;
      const opened = await Promise.all(
        requests.map((request, index) => {
          const reading = readings[index];
          if (reading === undefined || 'error' in reading) return reading;
          return caught(open(applicationId, reading.value, request));
        }),
      );
      const wanted = opened.flatMap((outcome, index) =>
        outcome !== undefined && 'value' in outcome
          ? outcome.value.map((calendarId) => ({ accountId: requests[index]?.accountId ?? '', calendarId }))
          : [],
      );
      const spans = (await reader.read(applicationId, wanted, window)).values();
      return opened.map((outcome) => {
        if (outcome === undefined || 'error' in outcome) return outcome ?? { error: gone() };
        const calendars = outcome.value.map((calendarId) => ({ calendarId, spans: spans.next().value }));
        return calendars.every(isRead) ? { calendars } : { error: gone() };
      });
    },
  };
}

function isRead<Calendar extends { readonly spans: unknown }>(
  calendar: Calendar,
): calendar is Calendar & { readonly spans: readonly BusySpan[] } {
  return calendar.spans !== undefined;
}

/** A calendar that was deleted between the look-up and the read. */
function gone(): KalendsError {
  return new KalendsError('NotFound', 'The account has no such calendar.');
}

type Outcome<Value> = { readonly value: Value } | { readonly error: KalendsError };

async function caught<Value>(work: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work };
  } catch (error) {
    if (!KalendsError.isInstance(error)) throw error;
    return { error };
  }
}

function isNotFound(error: unknown): error is KalendsError {
  return KalendsError.isInstance(error) && error.code === 'NotFound';
}

function atPath(error: KalendsError, path: string): KalendsError {
  const { message } = error;
  return new KalendsError('NotFound', message, { details: [{ path, message }], cause: error });
}
