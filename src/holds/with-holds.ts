import type { AccountBusyReader } from '../events/index.ts';
import type { HoldStore } from '../ports/index.ts';

/** Stands for the holds of an account among its calendars, none of which has an empty id. */
const OF_HOLDS = '';

/** Returns a reader to which time that holds take is busy too. */
export function withHolds(reader: AccountBusyReader, holds: Pick<HoldStore, 'listTaken'>): AccountBusyReader {
  return {
    async read(applicationId, requests, window) {
      const accounts = await reader.read(applicationId, requests, window);
      const accountIds = [...new Set(requests.map(({ accountId }) => accountId))];
      const taken = await holds.listTaken(applicationId, accountIds, window);
      if (taken.length === 0) return accounts;
      return accounts.map((account, index) => {
        const spans = taken
          .filter(({ accountId }) => accountId === requests[index]?.accountId)
          .map(({ startMs, endMs }) => ({ startMs, endMs, type: 'busy' as const, isAllDay: false }));
        if ('error' in account || spans.length === 0) return account;
        return { calendars: [...account.calendars, { calendarId: OF_HOLDS, spans }] };
      });
    },
  };
}
