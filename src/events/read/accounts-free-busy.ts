import type { FreeBusyService } from '../../engine-interface.ts';
import { invalid, type KalendsError } from '../../errors.ts';
import { type IntervalSet, normalize, overlay, type Slot } from '../../free-busy/index.ts';
import {
  type AccountFreeBusy,
  accountsFreeBusyQuery,
  BUSY_TYPES,
  MOST_CALENDARS,
  parseInput,
} from '../../model/index.ts';
import type { AccountBusy, AccountBusyReader } from './account-busy.ts';
import type { BusySpan } from './busy-reader.ts';
import { readWindow, shownSlots } from './free-busy-slots.ts';
import type { PeopleBusyReader } from './people-busy.ts';

/** Free/busy of many accounts, and of people who are not connected, each with its own failures. */
export function createAccountsFreeBusy(
  busy: AccountBusyReader,
  people: PeopleBusyReader,
): Pick<FreeBusyService, 'queryAccounts'> {
  return {
    async queryAccounts({ applicationId }, body) {
      const input = parseInput(accountsFreeBusyQuery, body);
      const { accounts = [], addresses = [] } = input;
      if (accounts.length + addresses.length === 0)
        throw invalid('accounts', 'must name an account, or addresses a person');
      const { zone, window } = readWindow(input);
      const requests = accounts.map(({ endUserAccountId: accountId, calendarIds }, index) => ({
        accountId,
        calendarIds,
        path: `accounts.${index}`,
      }));
      const named = requests.reduce((sum, { calendarIds }) => sum + (calendarIds?.length ?? 0), 0);
      if (named > MOST_CALENDARS) throw invalid('accounts', `must name at most ${MOST_CALENDARS} calendars in all`);
      const hasTypes = input.includeTypes === true;
      const answers: AccountFreeBusy[] = [];
      for (const [index, found] of (await busy.read(applicationId, requests, window)).entries()) {
        const endUserAccountId = requests[index]?.accountId ?? '';
        answers.push({ endUserAccountId, ...(await shownAccount(found, { zone, window, hasTypes }, applicationId)) });
      }
      const asked = addresses.map(({ email, viaEndUserAccountId: accountId }, index) => ({
        accountId,
        email,
        path: `addresses.${index}`,
      }));
      for (const [index, found] of (await people.read(applicationId, asked, window)).entries()) {
        const { accountId: endUserAccountId = '', email = '' } = asked[index] ?? {};
        const shown =
          'error' in found
            ? { error: shownError(found.error) }
            : { busySlots: await slotsOf(found.spans, { zone, window, hasTypes }, applicationId) };
        answers.push({ endUserAccountId, email, ...shown });
      }
      return answers;
    },
  };
}

interface Shape {
  readonly zone: string;
  readonly window: Slot;
  readonly hasTypes: boolean;
}

async function shownAccount(found: AccountBusy, shape: Shape, lane: string) {
  if ('error' in found) return { error: shownError(found.error) };
  const calendars = [];
  for (const { calendarId, spans } of found.calendars)
    calendars.push({ calendarId, busySlots: await slotsOf(spans, shape, lane) });
  return { calendars };
}

async function slotsOf(spans: readonly BusySpan[], { zone, window, hasTypes }: Shape, lane: string) {
  return await shownSlots(overlay(setsOf(spans, window, hasTypes)), zone, hasTypes, lane);
}

/** Returns the busy time of each type, or of all types as one. */
function setsOf(spans: readonly BusySpan[], window: Slot, hasTypes: boolean): readonly IntervalSet[] {
  const within = (kept: readonly BusySpan[]) =>
    normalize(
      kept.map(({ startMs, endMs }) => ({
        startMs: Math.max(startMs, window.startMs),
        endMs: Math.min(endMs, window.endMs),
      })),
    );
  return hasTypes ? BUSY_TYPES.map((type) => within(spans.filter((span) => span.type === type))) : [within(spans)];
}

/** Returns an error as one part of an answer. */
export function shownError({ code, message, retryAfterMs }: KalendsError) {
  return {
    code,
    message,
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
  };
}
