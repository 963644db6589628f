import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { createEngine } from 'kalends';
import { expect, it, onTestFinished } from 'vitest';
import { body } from '../interface/steps.ts';
import { createWorld, type Json } from '../interface/world.ts';
import { sizeOf } from '../size-of.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';

const ATTEMPTS = sizeOf('attempts', { short: 200, long: 1_000 });
const HANDLES = 4;

/** Opens another engine on the database, as another process does, and returns its interface. */
async function anotherProcess(database: string, fetch: typeof globalThis.fetch) {
  const engine = createEngine({
    storage: await storageAt(database),
    providers: {
      PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch }),
    },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: 'http://kalends.test/api',
  });
  await engine.start({ background: false });
  onTestFinished(() => engine.stop());
  return createHandler(engine);
}

it.each(STORAGES)('of many attempts on one slot by several processes one wins, in %s', {
  timeout: 300_000,
}, async (name) => {
  const database = await newDatabase(name);
  const world = await createWorld({ storage: await storageAt(database) }, { background: false });
  onTestFinished(() => world.close());
  const ada = await world.connect('google');
  const ben = await world.connect('google');
  const fetch: typeof globalThis.fetch = (input, init) => world.sandbox.fetch(new Request(input, init));
  const others = await Promise.all(Array.from({ length: HANDLES - 1 }, () => anotherProcess(database, fetch)));
  const handlers = [world.handler, ...others];
  const people = [ada, ben].map(({ accountId, calendarId }) => ({
    endUserAccountId: accountId,
    calendarIds: [calendarId],
  }));
  // The first pull of each calendar ends before the attempts begin: under load it takes longer than a request waits.
  for (const { endUserAccountId, calendarIds } of people) {
    const pull = () => world.call('GET', `/v1/events/${endUserAccountId}/${calendarIds[0]}`);
    let pulled = await pull();
    while (pulled.body.code === 'CalendarSyncing') pulled = await pull();
    expect(pulled.status).toBe(200);
  }
  const startMs = (Math.floor(Date.now() / 86_400_000) + 20) * 86_400_000;
  const at = (minutes: number) => new Date(startMs + minutes * 60_000).toISOString();

  const attempt = async (index: number): Promise<{ readonly status: number; readonly body: Json }> => {
    const participants = index % 3 === 0 ? people.toReversed() : people;
    // Each overlaps all others, and no two are alike.
    const slot = { startDateTime: at((index % 60) / 60), endDateTime: at(60), timeZone: 'UTC' };
    const response = await handlers[index % HANDLES]?.(
      new Request('http://kalends.test/v1/holds', {
        method: 'POST',
        headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ participants, ...slot }),
      }),
    );
    return { status: response?.status ?? 0, body: await response?.json() };
  };
  const answers = await Promise.all(Array.from({ length: ATTEMPTS }, (_, index) => attempt(index)));
  const won = answers.filter(({ status }) => status === 201);
  expect(won).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(new Set(refused.map((answer) => `${answer.status} ${answer.body.code}`))).toEqual(new Set(['409 SlotTaken']));
  for (const answer of refused) {
    expect(answer.body.nextSlots).toHaveLength(5);
    expect(Date.parse(answer.body.nextSlots[0].startDateTime)).toBe(startMs + 3_600_000);
  }
  const confirmed = await world.call('POST', `/v1/holds/${won[0]?.body.id}/confirm`, {
    body: { event: { title: 'Won' } },
  });
  expect(body(confirmed, 201).event.title).toBe('Won');
});
