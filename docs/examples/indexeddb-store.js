// A copy of a list in the browser's IndexedDB, for syncInto of @kalends/client. Records and token survive a reload of the page.

/**
 * Opens the copy of one list with one set of filters: each needs a `name` of its own.
 *
 * @template {{ readonly id: string }} Item
 * @param {string} name name of the database
 * @param {IDBFactory} [factory]
 * @returns {Promise<import('@kalends/client').RecordStore<Item> & {
 *   get(id: string): Promise<Item | undefined>,
 *   list(): Promise<Item[]>,
 *   close(): void,
 * }>}
 */
export async function openIndexedDbStore(name, factory = indexedDB) {
  const opening = factory.open(name, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('records', { keyPath: 'id' });
    opening.result.createObjectStore('state');
  };
  const database = await resultOf(opening);
  const records = () => database.transaction('records').objectStore('records');

  return {
    readToken: () => resultOf(database.transaction('state').objectStore('state').get('token')),

    async apply({ isFull, records: changed, deletedIds, since, syncToken }) {
      // One transaction: whatever happens to the page and in other tabs, the records are those of the token.
      const transaction = database.transaction(['records', 'state'], 'readwrite');
      const end = endOf(transaction);
      const state = transaction.objectStore('state');
      if ((await resultOf(state.get('token'))) !== since) return false;
      try {
        const kept = transaction.objectStore('records');
        if (isFull) kept.clear();
        for (const id of deletedIds) kept.delete(id);
        for (const record of changed) kept.put(record);
        state.put(syncToken, 'token');
      } catch (error) {
        transaction.abort();
        await end.catch(() => undefined);
        throw error;
      }
      await end;
      return true;
    },

    /** Returns the record, or undefined where the copy has none. */
    get: (id) => resultOf(records().get(id)),

    /** Returns all records, by id. */
    list: () => resultOf(records().getAll()),

    close: () => database.close(),
  };
}

/**
 * @template Result
 * @param {IDBRequest<Result>} request
 * @returns {Promise<Result>}
 */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function endOf(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
