// A copy of one calendar that follows the service: pull() after every message of the calendar's subscription.

/** `client` is made by createClient of @kalends/client. Keep `events` and `syncToken` together in your own database. */
export function createCalendarCopy(client, accountId, calendarId) {
  const copy = { events: new Map(), syncToken: undefined, pulls: 0 };
  let last = Promise.resolve();

  const pull = async () => {
    const { records, syncToken, isFull } = await client.events.sync(accountId, calendarId, {
      syncToken: copy.syncToken,
    });
    if (isFull) copy.events.clear();
    for (const record of records) {
      if (record.isDeleted) copy.events.delete(record.id);
      else copy.events.set(record.id, record);
    }
    copy.syncToken = syncToken;
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
