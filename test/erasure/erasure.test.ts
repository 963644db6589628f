import { existsSync, readFileSync } from 'node:fs';
import { systemClock } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';
import { body, eventsPath } from '../interface/steps.ts';
import { PROVIDERS } from '../interface/world.ts';
import { newDatabase, STORAGES, type StorageName } from '../storages/new-database.ts';
import { createErasedWorld, type ErasedWorld } from './erased-world.ts';

const DAY_MS = 86_400_000;
/** Stands in everything that is the person's. */
const MARK = 'markq7x';
const EMAIL = `${MARK}@people.example`;

/** Connects a person's account, and lets everything be stored that a service stores of it. */
async function connectPerson({ world, receiverUrl, find }: ErasedWorld, provider: 'google' | 'microsoft') {
  for (const path of ['echoing', 'failing']) {
    body(await world.call('POST', '/v1/webhookEndpoints', { body: { webhookUrl: `${receiverUrl}/${path}` } }), 201);
  }
  const account = await world.connect(provider, EMAIL);
  const refreshToken = world.refreshToken(provider, EMAIL);
  const providerType = provider === 'google' ? 'PROVIDER_A' : 'PROVIDER_B';
  const again = { email: EMAIL, providerType, refreshToken, externalId: `pupil-${MARK}` };
  body(await world.call('POST', '/v1/endUserAccounts', { body: again }));
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
  const sent = {
    title: `Dinner ${MARK}`,
    description: MARK,
    location: MARK,
    start,
    attendees: [{ email: `x.${EMAIL}` }],
  };
  const headers = { 'idempotency-key': `key-${MARK}` };
  const { id } = body(await world.call('POST', eventsPath(account), { body: sent, headers }), 201);
  body(await world.call('PUT', eventsPath(account, id), { body: { title: `Lunch ${MARK}` } }));
  const subscription = { calendarId: account.calendarId, webhookUrl: `${receiverUrl}/echoing` };
  body(await world.call('POST', `/v1/calendarSubscriptions/${account.accountId}`, { body: subscription }), 201);
  const calendars = [{ endUserAccountId: account.accountId, calendarId: account.calendarId }];
  body(await world.call('POST', '/v1/feeds', { body: { name: `Feed ${MARK}`, calendars } }), 201);
  body(await world.call('GET', `/v1/endUserAccounts/${account.accountId}/credentials`));
  await waitFor(async () => (await find(MARK)).includes('kalends_attempt.excerpt'));
  return account;
}

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await systemClock.sleep(10);
}

/** Whether no byte of the mark is left in the files of SQLite; those of PostgreSQL are overwritten by its own vacuum. */
function isOverwritten(storage: StorageName, database: string): boolean {
  return storage === 'postgres' || inFiles(database).length === 0;
}

/** Where the bytes of a SQLite file and of its log contain the mark. */
function inFiles(path: string): readonly string[] {
  return ['', '-wal', '-shm'].filter(
    (suffix) => existsSync(`${path}${suffix}`) && readFileSync(`${path}${suffix}`).includes(MARK),
  );
}

describe.each(STORAGES)('thirty days after an account is deleted, %s', (storage) => {
  it.each(PROVIDERS)('nothing of its person is left ($provider)', { timeout: 120_000 }, async ({ provider }) => {
    const database = await newDatabase(storage);
    const erased = await createErasedWorld(database);
    const { world, clock, rows, find } = erased;
    const { accountId } = await connectPerson(erased, provider);
    const before = await find(MARK);
    expect(before.map((name) => name.split('.')[0])).toEqual(
      expect.arrayContaining(['account', 'attempt', 'feed', 'item_body', 'message'].map((name) => `kalends_${name}`)),
    );
    const verify = () => world.engine.erasure.verify({ accountId, texts: [EMAIL, `pupil-${MARK}`] });
    const present = await verify();
    expect(present.isErased).toBe(false);
    expect(present.traces.map(({ table, column }) => `${table}.${column}`)).toEqual(
      expect.arrayContaining(['kalends_account.email', 'kalends_account.external_id', 'kalends_message.data']),
    );

    body(await world.call('DELETE', `/v1/endUserAccounts/${accountId}`));
    const left = await find(MARK);
    // The application is still to be told of the deletion, and its delivery log quotes the receiver.
    expect([...new Set(left.map((name) => name.split('.')[0]))].sort()).toEqual(
      expect.arrayContaining(['kalends_attempt', 'kalends_message']),
    );
    expect(left.filter((name) => !/_(attempt|message|lease)\./.test(name))).toEqual([]);

    // A redelivery makes attempts long after the deletion.
    clock.pass(20 * DAY_MS);
    const { kalends_message: messages = [], kalends_attempt: attempts = [] } = await rows.read([
      'kalends_message',
      'kalends_attempt',
    ]);
    const echoing = attempts.find(({ status }) => status === 200);
    const message = messages.find(
      (each) => each['target_id'] === echoing?.['target_id'] && each['event_type'] === 'enduseraccount.deleted',
    );
    const redelivery = { body: { messageId: message?.['id'] } };
    await world.call('POST', `/v1/webhookEndpoints/${echoing?.['target_id']}/redeliver`, redelivery);
    await waitFor(async () => (await rows.read(['kalends_attempt']))['kalends_attempt']!.some(isYoung(clock.now())));
    clock.pass(10 * DAY_MS);
    await erased.upkeep(async () => (await find(MARK)).length === 0 && isOverwritten(storage, database));
    expect(await find(MARK)).toEqual([]);
    expect(await find(accountId)).toEqual(['kalends_audit_entry.target']);
    const report = await verify();
    expect(report).toMatchObject({ isErased: true, traces: [], ownerless: [] });
    expect(report.kept).toEqual([{ table: 'kalends_audit_entry', column: 'target', rows: expect.any(Number) }]);
    // Log lines name calendars by their ids, of which Google makes the first from the address; logs have a retention of their own.
    const told = erased.log.map((line) => line.replaceAll(/"calendarId":"[^"]*"/g, ''));
    expect(told.filter((line) => line.includes(MARK))).toEqual([]);
    await erased.close();
    if (storage === 'sqlite') expect(inFiles(database)).toEqual([]);
  });

  it('nothing is left of a deleted application either', { timeout: 120_000 }, async () => {
    const database = await newDatabase(storage);
    const erased = await createErasedWorld(database);
    const { world, clock, rows, find } = erased;
    await connectPerson(erased, 'google');
    const { applicationId } = world;
    await world.engine.applications.update(applicationId, {
      name: `App ${MARK}`,
      redirectUrls: [`https://${MARK}.test/`],
    });
    await world.engine.applications.delete(applicationId);
    await waitFor(async () => (await rows.read(['kalends_application']))['kalends_application']?.length === 0);
    clock.pass(30 * DAY_MS);
    await erased.upkeep(async () => (await find(MARK)).length === 0 && isOverwritten(storage, database));
    const kept = await find(applicationId);
    expect(kept.filter((name) => !name.startsWith('kalends_audit_entry.'))).toEqual([]);
    await erased.close();
    if (storage === 'sqlite') expect(inFiles(database)).toEqual([]);
  });
});

const isYoung = (now: number) => (row: Readonly<Record<string, unknown>>) => Number(row['at']) > now - DAY_MS;
