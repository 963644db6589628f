import type { CollectionKey, Storage, SubscriptionRow } from 'kalends/ports';
import pg from 'pg';
import { ACCOUNT_TABLES } from '../../src/sharded/account-tables.ts';

export const KEY: CollectionKey = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
const LIST: CollectionKey = { ...KEY, calendarId: null };
const LONG_MS = 86_400_000;

function subscription(id: string): SubscriptionRow {
  return {
    ...{ id, applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1', subscriptionType: 'event' },
    ...{ providerType: 'PROVIDER_A', detail: 'record', format: 'plain', url: 'https://receiver.test/hook' },
    ...{ wrappedKey: 'wrapped', sealedSecret: 'secret', previousSecret: null, rateLimit: null, disabledAt: null },
    ...{ failingSince: null, createdAt: 10, updatedAt: 10 },
  };
}

/** Gives the account of `openWithAccount` rows in every table of an account. */
export async function fillAccount(storage: Storage): Promise<void> {
  const { mirror, schedule, intents, imports, channels, subscriptions, leases, outbox } = storage;
  await mirror.ensure(LIST, { at: 1, tag: 'l', timeZone: '' });
  await mirror.ensure(KEY, { at: 1, tag: 't', timeZone: 'UTC' });
  for (const id of ['whs_1', 'whs_2']) await subscriptions.insert(subscription(id));
  const item = (itemId: string, title: string) => ({
    ...{ itemId, groupId: itemId, content: { title }, privateContent: { own: 1.5e-7 }, etag: title, providerTag: 'p' },
    ...{ mappingVersion: 1, rangeStart: 0, rangeEnd: null, busy: 'busy' },
  });
  let messages = 0;
  for (const title of ['first', 'second "quoted" \\ \u2028 ü 🗓', 'third']) {
    await mirror.commit(KEY, {
      writes: ['a', 'b', title].map((id) => item(id, title)),
      ...{
        basedOn: Number.MAX_SAFE_INTEGER,
        at: 2,
        tag: title,
        timeZone: 'Asia/Tokyo',
        providerToken: `token ${title}`,
      },
      ...{ complete: true, reread: ['x', 'y', title] },
      unreadable: {
        found: [{ objectId: 'bad', groupId: 'bad', isPart: false, reason: 'why' }],
        readIds: [],
        readGroupIds: [],
      },
      notify: { eventType: 'calendar.event.changed', messageId: () => `msg_${++messages}` },
    });
  }
  const { generation } = await mirror.startSweep(KEY);
  await mirror.commit(KEY, {
    ...{ writes: [], basedOn: 9, at: 3, tag: 's', seen: { generation, itemIds: ['a'] } },
  });
  await schedule.hint(KEY);
  await schedule.finish(LIST, { failures: 2, lastFailure: { code: 'Oops', at: 4 }, dueAt: 5 });
  const intent = { key: KEY, kind: 'update', holdsNewItems: true, data: { step: 1 }, createdAt: 1 } as const;
  await intents.begin(
    { ...intent, id: 'int_1', groupIds: ['b'], idempotency: { key: 'once', bodyHash: 'hash' } },
    LONG_MS,
  );
  const lease = { name: 'import:acc_1:imp_1', epoch: (await leases.claim('import:acc_1:imp_1', LONG_MS))?.epoch ?? 0 };
  const row = { id: 'imp_1', applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
  await imports.begin({
    ...{ ...row, state: 'receiving', isDryRun: false, frame: 'BEGIN:VCALENDAR\r\n', problems: [], errorCode: null },
    ...{ createdAt: 1, finishedAt: null },
  });
  await imports.addItems({ ...row, lease }, [{ uidKey: 'k', uid: 'u', components: 'BEGIN:VEVENT\r\n' }]);
  await channels.insert({
    ...{ id: 'chn_1', applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1', providerType: 'PROVIDER_A' },
    ...{ kind: 'push', providerChannelId: 'p', resourceId: 'r', tokenHash: 'h', address: 'https://kalends.test/push' },
    ...{ expiresAt: 9, renewAt: Number.MAX_SAFE_INTEGER, createdAt: 1 },
  });
  const { claims } = await outbox.acknowledgeAndClaim([], { limit: 1, leaseMs: LONG_MS });
  const acknowledgements = claims.map(({ target, message, epoch }) => ({
    ...{
      applicationId: 'app_1',
      targetId: target.id,
      messageId: message.id,
      epoch,
      outcome: { kind: 'delivered' } as const,
    },
    attempt: {
      ...{
        id: 'att_1',
        eventType: message.eventType,
        at: 5,
        status: 204,
        failure: null,
        latencyMs: 1.25,
        excerpt: 'ok',
      },
    },
  }));
  await outbox.acknowledgeAndClaim(acknowledgements, { limit: 0, leaseMs: LONG_MS });
}

/** Reads the rows of the account in one database, table by table: their texts, without the numbers that databases give. */
export async function readRows(url: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables: Record<string, readonly string[]> = {};
    for (const { name, rows, order } of ACCOUNT_TABLES) {
      const parameters = rows.includes('$2') ? ['acc_1', 'app_1'] : ['acc_1'];
      // Leases of pulls and of the account are those of the move itself.
      const others = name === 'kalends_lease' ? "and name like 'import:%'" : '';
      const found = await client.query(
        `select (to_jsonb(t) - 'seq' - 'place' || jsonb_build_object('waits', to_jsonb(t) -> 'place' <> 'null'))::text as row
          from ${name} t where ${rows} ${others} order by ${order ?? '1'}`,
        parameters,
      );
      tables[name] = found.rows.map(({ row }) => row);
    }
    return tables;
  } finally {
    await client.end();
  }
}
