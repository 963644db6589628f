import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { CLIENT, PROVIDERS, startProviders } from '../../../../test/engine-world.ts';
import { startPostgres } from '../server/start-postgres.ts';
import { engineOn, type FleetSettings } from './engine-process.ts';
import { type EngineProcess, startEngineProcess } from './start-engine-process.ts';

const PROCESSES = 2;
const ROUNDS = 3;
const EVENTS = 6;
/** Longer than any lease: who was killed is not waited for. */
const LEAP_MS = 600_000;

const startProcesses = (settings: FleetSettings) =>
  Promise.all(Array.from({ length: PROCESSES }, () => startEngineProcess(settings)));

const killAll = (processes: readonly EngineProcess[]) => Promise.all(processes.map(({ kill }) => kill()));

/** A receiver that says when it has been called. */
async function startReceiver() {
  const waiting: (() => void)[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.end();
    calls += 1;
    for (const resolve of waiting.splice(0)) resolve();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls: () => calls,
    called: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('processes that are killed, on a server that crashes, lose no change and no message', {
  timeout: 240_000,
}, async () => {
  const provider = PROVIDERS[0];
  const { email, providerType } = provider;
  const providers = await startProviders();
  providers.sandbox[provider.name].addClient({ ...CLIENT, redirectUris: [] });
  const database = await startPostgres();
  const receiver = await startReceiver();
  const fleet = { database: database.url, providers: providers.url };
  const front = engineOn(fleet);
  await front.start({ background: false });
  const { id: applicationId } = await front.applications.create({ name: 'Test', redirectUrls: [] });
  await front.oauthClients.set(applicationId, provider.providerType, CLIENT);
  const refreshToken = providers.sandbox[provider.name].issueRefreshToken({
    email: provider.email,
    clientId: CLIENT.clientId,
  });
  const caller = { applicationId };
  const { account } = await front.accounts.upsert(caller, { email, providerType, refreshToken });
  const { data } = await front.calendars.list(caller, account.id, {});
  const calendarId = data[0]!.id;
  await front.subscriptions.create(caller, account.id, {
    calendarId,
    webhookUrl: receiver.url,
  });

  const titles: string[] = [];
  let children: readonly EngineProcess[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    children = await startProcesses({ ...fleet, offsetMs: (round + 1) * LEAP_MS });
    for (let event = 0; event < EVENTS; event += 1) {
      const called = receiver.called();
      titles.push(`event ${round}.${event}`);
      await providers.addEvent(provider, titles.at(-1)!);
      // The processes live through a crash of the server, whatever they were doing.
      if (event === 2) await database.restart('immediate');
      // Killed in the midst of the last one's pull, commit or delivery, whichever it is.
      if (event < EVENTS - 1 || round === ROUNDS - 1) await called;
    }
    if (round < ROUNDS - 1) await killAll(children);
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const waiting = async () =>
    (await client.query('select count(*)::int as waiting from kalends_message where place is not null')).rows[0]
      .waiting;
  const mirrored = async () => {
    const { rows } = await client.query(`
      select content from kalends_item_version v join kalends_item_body b using (account_id, collection_id, body)
        join kalends_collection c on c.account_id = v.account_id and c.id = v.collection_id where c.calendar_id <> '' and to_revision = 9007199254740991`);
    return titles.filter((title) => rows.some((row) => row.content.includes(`"${title}"`)));
  };
  await expect.poll(mirrored, { timeout: 60_000 }).toEqual(titles);
  await expect.poll(waiting, { timeout: 60_000 }).toBe(0);
  const { rows } = await client.query(
    `select count(*)::int as messages from kalends_message where state <> 'delivered'`,
  );
  expect(rows).toEqual([{ messages: 0 }]);
  await client.end();
  await killAll(children);
  await front.stop();
  await receiver.close();
  await providers.close();
  await database.stop();
});
