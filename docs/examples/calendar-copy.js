// A copy of one calendar that follows the service: pull() after every message of the calendar's subscription.
import { memoryStore } from '@kalends/client';

/** `client` is made by createClient of @kalends/client. A store of your own keeps records and token together in your database. */
export function createCalendarCopy(client, accountId, calendarId) {
  const store = memoryStore();
  const copy = { events: store.records, pulls: 0 };
  let last = Promise.resolve();

  const pull = async () => {
    await client.events.syncInto(store, accountId, calendarId);
    copy.pulls += 1;
  };

  return Object.assign(copy, {
    /** One after the other: two pulls with the same token would do the same work twice. */
    pull() {
      last = last.catch(() => undefined).then(pull);
      return last;
    },
  });
}
