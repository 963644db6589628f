import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine } from 'kalends';
import { describe, expect, it } from 'vitest';

const CLIENT = { clientId: 'client', clientSecret: 'client-secret' };
const START = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
const REQUESTS = 1_000;

describe.each([
  ['google', 'PROVIDER_A'],
  ['microsoft', 'PROVIDER_B'],
] as const)('at %s', (provider, providerType) => {
  it(`${REQUESTS} concurrent requests with one key, to two engines on one database, make one event and get one answer`, async () => {
    const path = join(tmpdir(), `kalends-one-key-${provider}-${process.pid}.db`);
    let posts = 0;
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init);
      if (request.method === 'POST' && /\/events(\?|$)/.test(request.url)) posts += 1;
      return await sandbox.fetch(request);
    };
    const sandbox = createSandbox({ fetch, seed: 5 });
    const start = async (): Promise<Engine> => {
      const engine = createEngine({
        storage: sqlite({ path }),
        providers: {
          PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch }),
          PROVIDER_B: microsoft({ ...microsoftEndpoints('http://sandbox.test/microsoft'), fetch }),
        },
        secret: Buffer.alloc(32, 7).toString('base64'),
      });
      await engine.start();
      return engine;
    };
    const engines = [await start(), await start()] as const;
    try {
      const email = `crowd@${provider}.example`;
      sandbox[provider].addMailbox({ email, name: 'Crowd', timeZone: 'Europe/Berlin' });
      sandbox[provider].addClient({ ...CLIENT, redirectUris: ['https://app.test/'] });
      const { id: applicationId } = await engines[0].applications.create({ name: 'Crowd', redirectUrls: [] });
      await engines[0].oauthClients.set(applicationId, providerType, CLIENT);
      const refreshToken = sandbox[provider].issueRefreshToken({ email, clientId: CLIENT.clientId });
      const caller = { applicationId };
      const { account } = await engines[0].accounts.upsert(caller, { email, providerType, refreshToken });
      const calendars = await engines[0].calendars.list(caller, account.id, {});
      const calendarId = calendars.data.find((calendar) => 'isPrimary' in calendar && calendar.isPrimary)!.id;
      await engines[0].events.list(caller, account.id, calendarId, {});
      const create = (engine: Engine) =>
        engine.events.create(
          caller,
          account.id,
          calendarId,
          { title: 'Once', start: START },
          { idempotencyKey: 'crowd' },
        );
      const answers = await Promise.all(
        Array.from({ length: REQUESTS }, (_, index) => create(engines[index % 2 === 0 ? 0 : 1])),
      );
      expect(new Set(answers.map((event) => JSON.stringify(event))).size).toBe(1);
      expect(posts).toBe(1);
      const { data } = await engines[1].events.list(caller, account.id, calendarId, {});
      expect(data).toEqual([answers[0]]);
    } finally {
      for (const engine of engines) await engine.stop();
      await sandbox.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
  }, 120_000);
});
