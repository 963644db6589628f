import { openSync, writeSync } from 'node:fs';
import { seededRandom } from '@kalends/conformance';
import type { Caller, Engine } from 'kalends';
import { ON_MESSAGE_URL } from 'kalends';
import { CLIENT, engineOnFile, PROVIDERS, type ProviderName } from './engine-on-file.ts';
import type { Fact, Mark } from './marks.ts';

/** A fault of the process, made on purpose: it acknowledges before a commit, or commits with another `synchronous`. */
export type Flaw = 'none' | 'early' | 'off' | 'normal';

/** Settings of the process whose power is cut. */
export interface ProgramSettings {
  readonly seed: number;
  readonly provider: ProviderName;
  readonly path: string;
  /** File of the marks, in the recorded folder. */
  readonly marks: string;
  /** Address of the sandbox. */
  readonly providers: string;
  readonly refreshToken: string;
  /** Other mailboxes, one for each account that is connected and deleted again: a deletion revokes all tokens of a mailbox. */
  readonly spares: readonly { readonly email: string; readonly refreshToken: string }[];
  /** The person's own, for changes with the provider's program. */
  readonly accessToken: string;
  /** Works of each lane. */
  readonly works: number;
  readonly flaw: Flaw;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Writes through the engine, marks what it was promised, and closes the file once in between. */
export async function main(text: string): Promise<void> {
  const settings = JSON.parse(text) as ProgramSettings;
  const { seed, provider, path, providers, refreshToken, works, flaw } = settings;
  const file = openSync(settings.marks, 'a');
  const mark = (content: Mark) => void writeSync(file, `${JSON.stringify(content)}\n`);
  const open = async () => {
    const { engine } = engineOnFile({
      path,
      providers,
      onMessage({ eventType, ...message }) {
        const eventId = 'data' in message && 'eventId' in message.data ? message.data.eventId : null;
        mark({ lane: 'receiver', is: 'done', facts: [{ about: 'message', eventType, eventId }] });
      },
    });
    await engine.start();
    return engine;
  };
  /** Makes the mark of a work before it, and the one of its outcome after it. */
  const keep = async (lane: string, begun: readonly Fact[], work: () => Promise<readonly Fact[]>) => {
    mark({ lane, is: 'begun', facts: begun });
    if (flaw === 'early') mark({ lane, is: 'done', facts: begun });
    mark({ lane, is: 'done', facts: await work() });
  };

  let engine = await open();
  const { providerType, email } = PROVIDERS[provider];
  const { id: applicationId } = await engine.applications.create({ name: 'Power cuts', redirectUrls: [] });
  mark({ lane: 'setup', is: 'done', facts: [{ about: 'application', id: applicationId }] });
  const caller = { applicationId };
  await engine.oauthClients.set(applicationId, providerType, CLIENT);
  const { account } = await engine.accounts.upsert(caller, { email, providerType, refreshToken });
  mark({ lane: 'setup', is: 'done', facts: [{ about: 'account', id: account.id, value: 'there' }] });
  const { data } = await engine.calendars.list(caller, account.id, {});
  const calendarId = data.find((calendar) => calendar.isPrimary)!.id;
  await engine.events.list(caller, account.id, calendarId, { limit: '1000' });
  const subscription = { calendarId, webhookUrl: ON_MESSAGE_URL, detail: 'record' } as const;
  const { webhookSubscriptionId } = await engine.subscriptions.create(caller, account.id, subscription);
  const ready: Fact[] = [
    { about: 'calendar', id: calendarId, accountId: account.id },
    { about: 'subscription', id: webhookSubscriptionId, value: 'there' },
  ];
  mark({ lane: 'setup', is: 'done', facts: ready });

  const world: World = { settings, caller, accountId: account.id, calendarId, keep };
  const lanes = ['ann', 'bob'].map((name, index) => createLane(world, name, seed * 2 + index));
  for (const share of [Math.ceil(works / 2), Math.floor(works / 2)]) {
    await Promise.all(lanes.map((lane) => lane(engine, share)));
    await engine.stop();
    engine = await open();
  }
  // Half of the recordings end with an open file.
  if (seed % 2 === 0) await engine.stop();
  process.exit();
}

interface World {
  readonly settings: ProgramSettings;
  readonly caller: Caller;
  readonly accountId: string;
  readonly calendarId: string;
  keep(lane: string, begun: readonly Fact[], work: () => Promise<readonly Fact[]>): Promise<void>;
}

/** Works one after the other, on events and slots of its own. */
function createLane(world: World, lane: string, seed: number) {
  const { settings, caller, accountId, calendarId } = world;
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random.fraction() * count);
  const events: string[] = [];
  const holds: string[] = [];
  const subscriptions: string[] = [];
  const spares = lane === 'ann' ? [...settings.spares] : [];
  let count = 0;
  let token: string | undefined;
  let held = new Map<string, string>();
  const keep = (begun: readonly Fact[], work: () => Promise<readonly Fact[]>) => world.keep(lane, begun, work);
  const takeOne = (list: string[]) => list.splice(below(list.length), 1)[0]!;
  const nextTitle = () => `${lane} ${++count}`;
  const first = Math.floor(Date.now() / DAY_MS) * DAY_MS + (lane === 'ann' ? 30 : 400) * DAY_MS;
  const timeOf = (index: number) => new Date(first + index * DAY_MS + below(20) * HOUR_MS).toISOString().slice(0, 19);
  const slot = () => ({
    startDateTime: `${timeOf(100 + count)}Z`,
    get endDateTime() {
      return new Date(Date.parse(this.startDateTime) + HOUR_MS).toISOString();
    },
    timeZone: 'Europe/Berlin',
  });

  /** Holds what the sync token gives. */
  const follow = async (engine: Engine) => {
    let query: Record<string, string> = token === undefined ? { limit: '1000' } : { syncToken: token };
    for (;;) {
      const page = await engine.events.list(caller, accountId, calendarId, query);
      for (const record of page.data) {
        if ('isDeleted' in record && record.isDeleted) held.delete(record.id);
        else held.set(record.id, 'title' in record ? (record.title ?? '') : '');
      }
      token = page.nextSyncToken;
      if (page.nextPageToken === undefined) break;
      query = { pageToken: page.nextPageToken };
    }
    return [{ about: 'sync', token: token ?? '', titles: [...held] }] satisfies Fact[];
  };

  const acts: Readonly<Record<string, (engine: Engine) => Promise<void>>> = {
    create: (engine) => create(engine, {}),
    series: (engine) => create(engine, { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] }),
    async update(engine) {
      const id = events[below(events.length)];
      if (id === undefined) return;
      const fact: Fact = { about: 'event', id, value: nextTitle() };
      await keep([fact], async () => {
        await engine.events.update(caller, accountId, calendarId, id, { title: fact.value });
        return [fact];
      });
    },
    async remove(engine) {
      if (events.length === 0) return;
      const id = takeOne(events);
      const fact: Fact = { about: 'event', id, value: null };
      await keep([fact], async () => {
        await engine.events.delete(caller, accountId, calendarId, id);
        return [fact];
      });
    },
    async person(engine) {
      const title = nextTitle();
      await keep([{ about: 'event', value: title }], async () => {
        await addAtProvider(settings, title, timeOf(count));
        for (;;) {
          // The first one may be answered by a pull that began before the change.
          const facts = await follow(engine);
          const id = [...held].find(([, each]) => each === title)?.[0];
          if (id === undefined) continue;
          events.push(id);
          return [{ about: 'event', id, value: title }, ...facts];
        }
      });
    },
    sync: (engine) => keep([], () => follow(engine)),
    restart: (engine) => {
      token = undefined;
      held = new Map();
      return keep([], () => follow(engine));
    },
    async hold(engine) {
      count += 1;
      await keep([], async () => {
        const participants = [{ endUserAccountId: accountId, calendarIds: [calendarId] }];
        const { id } = await engine.holds.create(caller, { participants, ...slot(), expiresInSeconds: 600 });
        holds.push(id);
        return [{ about: 'hold', id, value: 'held' }];
      });
    },
    async confirm(engine) {
      if (holds.length === 0) return;
      const id = takeOne(holds);
      const title = nextTitle();
      const begun: Fact[] = [
        { about: 'hold', id, value: 'booked' },
        { about: 'event', value: title },
      ];
      await keep(begun, async () => {
        const { token, event } = await engine.holds.confirm(caller, id, { event: { title } });
        events.push(event!.id);
        return [
          { about: 'hold', id, value: 'booked', token },
          { about: 'event', id: event!.id, value: title },
        ];
      });
    },
    async release(engine) {
      if (holds.length === 0) return;
      const fact: Fact = { about: 'hold', id: takeOne(holds), value: null };
      await keep([fact], async () => {
        await engine.holds.delete(caller, fact.id);
        return [fact];
      });
    },
    async subscribe(engine) {
      await keep([], async () => {
        const body = { calendarId, webhookUrl: ON_MESSAGE_URL };
        const { webhookSubscriptionId: id } = await engine.subscriptions.create(caller, accountId, body);
        subscriptions.push(id);
        return [{ about: 'subscription', id, value: 'there' }];
      });
    },
    async unsubscribe(engine) {
      if (subscriptions.length === 0) return;
      const fact: Fact = { about: 'subscription', id: takeOne(subscriptions), value: null };
      await keep([fact], async () => {
        await engine.subscriptions.delete(caller, accountId, { subscriptionId: fact.id });
        return [fact];
      });
    },
    /** The deletion of an account empties the write-ahead log. */
    async account(engine) {
      const spare = spares.pop();
      if (spare === undefined) return;
      const { providerType } = PROVIDERS[settings.provider];
      let id = '';
      await keep([], async () => {
        id = (await engine.accounts.upsert(caller, { ...spare, providerType })).account.id;
        return [{ about: 'account', id, value: 'there' }];
      });
      const fact: Fact = { about: 'account', id, value: null };
      await keep([fact], async () => {
        await engine.accounts.delete(caller, id);
        return [fact];
      });
    },
  };
  async function create(engine: Engine, more: object): Promise<void> {
    const title = nextTitle();
    await keep([{ about: 'event', value: title }], async () => {
      const start = { dateTime: timeOf(count), timeZone: 'Europe/Berlin' };
      const { id } = await engine.events.create(caller, accountId, calendarId, { title, start, ...more });
      events.push(id);
      return [{ about: 'event', id, value: title }];
    });
  }
  const draws = Object.entries(WEIGHTS).flatMap(([name, weight]) => Array<string>(weight).fill(name));
  return async (engine: Engine, works: number) => {
    for (let work = 0; work < works; work += 1) await acts[draws[below(draws.length)]!]!(engine);
  };
}

/** How often each work is drawn. */
const WEIGHTS = {
  ...{ create: 8, series: 2, update: 8, remove: 4, person: 4, sync: 4, restart: 1 },
  ...{ hold: 4, confirm: 3, release: 2, subscribe: 2, unsubscribe: 1, account: 2 },
};

/** Adds an event with the provider's own program. */
async function addAtProvider({ provider, providers, accessToken }: ProgramSettings, title: string, at: string) {
  const isGoogle = provider === 'google';
  const path = isGoogle ? 'google/calendar/v3/calendars/primary/events' : 'microsoft/v1.0/me/events';
  const point = (dateTime: string) => ({ dateTime, timeZone: 'Europe/London' });
  const end = new Date(Date.parse(`${at}Z`) + HOUR_MS).toISOString().slice(0, 19);
  const answer = await fetch(`${providers}/${path}`, {
    method: 'POST',
    // A kept connection may have been closed meanwhile, and a POST must not be repeated.
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ [isGoogle ? 'summary' : 'subject']: title, start: point(at), end: point(end) }),
  });
  if (!answer.ok) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
}
