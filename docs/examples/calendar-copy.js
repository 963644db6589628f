// A copy of one calendar that follows the service: pull() after every message of the calendar's subscription.
import { memoryStore } from '@kalends/client';

/** `client` is made by createClient of @kalends/client. A store of your own keeps records and token together in your database. */
export function createCalendarCopy(client, accountId, calendarId) {
  const store = memoryStore();
  const copy = {
    events: store.records,
    pulls: 0,
    /** Pulls at the same time share their requests. */
    async pull() {
      await client.events.syncInto(store, accountId, calendarId);
      copy.pulls += 1;
    },
  };
  return copy;
}
