import { seededRandom } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { createEngine, KalendsError } from 'kalends';
import type { CalendarEvent, DeletedEvent, EventCreate, EventListQuery, EventUpdate } from 'kalends/model';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase, STORAGES, type StorageName } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';

/**
 * Two engines write to one mailbox, each another person to the other. What each has mirrored step by step must equal what
 * a third one finds that has just been connected, and what a client holds that lives on sync results.
 */

const PROVIDERS = [
  { name: 'google', providerType: 'PROVIDER_A' },
  { name: 'microsoft', providerType: 'PROVIDER_B' },
] as const;
const SANDBOX_URL = 'http://sandbox.test';
const EMAIL = 'person@mail.example';
const CLIENT = { clientId: 'client', clientSecret: 'client-secret' };
const EXPANDED: EventListQuery = {
  startDateTime: '2026-03-01T00:00:00Z',
  endDateTime: '2026-06-01T00:00:00Z',
  expandRecurrences: 'true',
};
const RULES = ['RRULE:FREQ=DAILY;COUNT=5', 'RRULE:FREQ=WEEKLY;COUNT=4', 'RRULE:FREQ=DAILY;INTERVAL=3'];
/** Of each provider, on each storage. */
const SEEDS = { sqlite: [1, 2], postgres: [1] };
const STEPS = { sqlite: 20, postgres: 10 };

type Listed = CalendarEvent | DeletedEvent;

interface Person {
  /** Every page of a list, after a pull. */
  list(query: EventListQuery): Promise<{ readonly data: readonly Listed[]; readonly token: string }>;
  create(body: EventCreate): Promise<unknown>;
  update(id: string, body: EventUpdate): Promise<unknown>;
  delete(id: string): Promise<unknown>;
}

const HISTORIES = STORAGES.flatMap((storage) =>
  PROVIDERS.flatMap((provider) => SEEDS[storage].map((seed) => ({ ...provider, seed, storage }))),
);

test.each(HISTORIES)('$name, seed $seed, on $storage', {
  timeout: 240_000,
}, async ({ name, providerType, seed, storage }) => {
  const network = (input: string | URL | Request, init?: RequestInit) => sandbox.fetch(new Request(input, init));
  const sandbox: Sandbox = createSandbox({ fetch: network, seed: 7 });
  sandbox[name].addMailbox({ email: EMAIL, name: 'Person', timeZone: 'Europe/Berlin' });
  sandbox[name].addClient({ ...CLIENT, redirectUris: ['https://app.test'] });
  const connect = () => connectPerson({ sandbox, name, providerType, network, storage });
  const people = [await connect(), await connect()];
  const held = new Map<string, Listed>();
  let token: string | undefined;
  const dice = createDice(seed);
  for (let step = 1; step <= STEPS[storage]; step++) {
    await act(people[dice.below(2)]!, dice, step);
    if (step % 5 !== 0) continue;
    const sync = await people[0]!.list(token === undefined ? EXPANDED : { syncToken: token, limit: '3' });
    token = sync.token;
    for (const record of sync.data) {
      if ('isDeleted' in record) held.delete(record.id);
      else held.set(record.id, record);
    }
    const newcomer = await connect();
    for (const query of [{}, EXPANDED]) {
      const truth = content(await newcomer.list(query));
      for (const person of people) expect(content(await person.list(query))).toEqual(truth);
    }
    expect([...held.values()].sort(byId)).toEqual([...(await people[0]!.list(EXPANDED)).data].sort(byId));
  }
});

/** One write of some kind; what the provider or a race refuses is refused. */
async function act(person: Person, dice: Dice, step: number): Promise<void> {
  const stored = (await person.list({})).data as readonly CalendarEvent[];
  const occurrences = ((await person.list(EXPANDED)).data as readonly CalendarEvent[]).filter(
    (event) => event.isException,
  );
  const date = `2026-0${3 + dice.below(3)}-${String(1 + dice.below(28)).padStart(2, '0')}`;
  const time = {
    dateTime: `${date}T${String(8 + dice.below(8)).padStart(2, '0')}:00:00`,
    timeZone: 'America/New_York',
  };
  const on = <Item>(items: readonly Item[], write: (item: Item) => Promise<unknown>) =>
    items.length === 0 ? Promise.resolve() : write(items[dice.below(items.length)]!);
  const writes: readonly (() => Promise<unknown>)[] = [
    () => person.create({ title: `single ${step}`, start: time }),
    () => person.create({ title: `day ${step}`, start: { dateTime: date } }),
    () => person.create({ title: `series ${step}`, start: time, recurrence: [RULES[dice.below(RULES.length)]!] }),
    () =>
      person.create({ title: `days ${step}`, start: { dateTime: date }, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'] }),
    () => on(stored, ({ id }) => person.update(id, { title: `edited ${step}` })),
    () => on(stored, ({ id }) => person.delete(id)),
    () => on(occurrences, ({ id }) => person.update(id, { title: `one ${step}`, location: 'elsewhere' })),
    () => on(occurrences, ({ id }) => person.delete(id)),
    () =>
      on(
        stored.filter((event) => event.isCancelled),
        ({ id }) => person.update(id, { isCancelled: false }),
      ),
    () =>
      on(
        stored.filter((event) => event.isRecurring),
        ({ id }) => person.update(id, { recurrence: [RULES[dice.below(RULES.length)]!] }),
      ),
  ];
  try {
    await writes[dice.below(writes.length)]!();
  } catch (error) {
    const isRefusal =
      KalendsError.isInstance(error) && ['UnsupportedByProvider', 'Conflict', 'NotFound'].includes(error.code);
    if (!isRefusal) throw error;
  }
}

async function connectPerson({
  sandbox,
  name,
  providerType,
  network,
  storage,
}: {
  readonly sandbox: Sandbox;
  readonly name: (typeof PROVIDERS)[number]['name'];
  readonly providerType: string;
  readonly network: typeof fetch;
  readonly storage: StorageName;
}): Promise<Person> {
  const engine = createEngine({
    storage: await storageAt(await newDatabase(storage)),
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), fetch: network }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), fetch: network }),
    },
    secret: Buffer.alloc(32, 7).toString('base64'),
    sync: { readWaitMs: 60_000, pollWithoutPushMs: 86_400_000 },
  });
  onTestFinished(() => engine.stop());
  await engine.start();
  const { id: applicationId } = await engine.applications.create({ name: 'Test', redirectUrls: ['https://app.test/'] });
  await engine.oauthClients.set(applicationId, providerType, CLIENT);
  const caller = { applicationId };
  const refreshToken = sandbox[name].issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId });
  const { account } = await engine.accounts.upsert(caller, { email: EMAIL, providerType, refreshToken });
  const calendars = await engine.calendars.list(caller, account.id, {});
  const calendarId = calendars.data.find((calendar) => 'isPrimary' in calendar && calendar.isPrimary)!.id;
  const { events } = engine;
  return {
    async list(query) {
      // A GET of an unknown id pulls at once, whatever the age of the mirror.
      await expect(events.get(caller, account.id, calendarId, 'nothing')).rejects.toMatchObject({ code: 'NotFound' });
      const data: Listed[] = [];
      let page = await events.list(caller, account.id, calendarId, query);
      for (;;) {
        data.push(...page.data);
        if (page.nextPageToken === undefined) return { data, token: page.nextSyncToken! };
        page = await events.list(caller, account.id, calendarId, { pageToken: page.nextPageToken });
      }
    },
    create: (body) => events.create(caller, account.id, calendarId, body),
    update: (id, body) => events.update(caller, account.id, calendarId, id, body),
    delete: (id) => events.delete(caller, account.id, calendarId, id),
  };
}

interface Dice {
  /** Uniform in 0 … n-1. */
  below(n: number): number;
}

function createDice(seed: number): Dice {
  const random = seededRandom(seed);
  return { below: (n) => Math.floor(random.fraction() * n) };
}

/** Invisible changes create no version, so `updatedAt` may lag behind the provider's. */
function content({ data }: { readonly data: readonly Listed[] }) {
  return data.map((event) => ({ ...event, updatedAt: undefined })).sort(byId);
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
