import { seededRandom } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { createEngine, type Engine, type EngineOptions } from 'kalends';
import type { Clock, Fetch } from 'kalends/ports';
import { startProcess } from '../simulation/process.ts';
import type { OAuthProviderName } from '../simulation/provider-acts.ts';
import { type VirtualTime, virtualTime } from '../simulation/virtual-time.ts';
import { openHeldStorage } from '../storages/held-storage.ts';

export interface CostWorldOptions {
  readonly provider: OAuthProviderName;
  /** Accounts, each with one watched calendar: the dearest case, as nothing shares the calls of the calendar list. */
  readonly calendars: number;
  /** Events of each calendar, one in twenty a series. */
  readonly events: number;
  /** Events of one page, as the adapters take it. */
  readonly pageSize?: number;
  readonly options?: Pick<EngineOptions, 'sync' | 'providerBudgets' | 'logger' | 'telemetry'>;
  /** Share of notifications that the provider loses. */
  readonly drop?: number;
}

export interface WatchedCalendar {
  readonly email: string;
  readonly accountId: string;
  readonly calendarId: string;
}

/** An engine with watched calendars at a sandbox, on virtual time. */
export interface CostWorld {
  readonly time: VirtualTime;
  readonly sandbox: Sandbox;
  readonly engine: Engine;
  readonly applicationId: string;
  readonly calendars: readonly WatchedCalendar[];
  /** Changes an event as its owner does; returns its id. */
  change(calendar: WatchedCalendar, number: number): Promise<string>;
  /** Sets what hears of each event that the engine mirrors. */
  onMirrored(listener: (accountId: string, itemId: string) => void): void;
  close(): Promise<void>;
}

const CLIENT = { clientId: 'client', clientSecret: 'client-secret' };
const SANDBOX_URL = 'http://sandbox.test';
const ZONE = 'Europe/Berlin';
/** Idle loops of the engine wake this often instead of every few seconds: their wake-ups are most of a virtual week. */
export const IDLE_STEP_MS = 300_000;
const IDLE_FROM_MS = 5_000;
const IMPORT_SHADOW_MS = 60_000;
/** Unlike the number of any change that is measured. */
const FIRST_CHANGE = 1_000_000;

export async function createCostWorld(asked: CostWorldOptions): Promise<CostWorld> {
  const { provider, drop = 0 } = asked;
  const time = virtualTime({ isSparing: true });
  let receive: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
  const sandbox = createSandbox({
    seed: 1,
    clock: time,
    time: { now: time.now, wait: (ms) => time.sleep(ms) },
    fetch: async (input, init) => {
      time.stir();
      return await receive(new Request(input, init));
    },
  });
  const server = sandbox[provider];
  const reach: Fetch = async (input, init) => {
    time.stir();
    const request = new Request(input, init);
    const answer = () => sandbox.fetch(request);
    // Identity tokens are signed by threads.
    const response = await (/\/token$/.test(new URL(request.url).pathname) ? time.hold(answer) : answer());
    time.stir();
    return response;
  };
  const storage = await openHeldStorage(':memory:', time);
  let mirrored: (accountId: string, itemId: string) => void = () => undefined;
  const watched = {
    ...storage,
    mirror: {
      ...storage.mirror,
      async commit(...parameters: Parameters<typeof storage.mirror.commit>) {
        const result = await storage.mirror.commit(...parameters);
        for (const id of result.changed) mirrored(parameters[0].accountId, id);
        return result;
      },
    },
  };
  const ports = startProcess({ storage: watched, fetch: reach, time, fate: () => 'goes on' });
  const clock: Clock = { now: time.now, sleep: (ms, signal) => ports.clock.sleep(idleUntil(time.now(), ms), signal) };
  const random = seededRandom(2);
  const base = { fetch: ports.fetch, clock, random };
  const limits = asked.pageSize === undefined ? {} : { limits: { pageSize: asked.pageSize } };
  const engine = createEngine({
    storage: ports.storage,
    clock,
    random,
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), ...base, ...limits }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), ...base, ...limits }),
    },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: 'http://kalends.test/api',
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    ...asked.options,
  });
  receive = async (request) => {
    const name = new URL(request.url).pathname.split('/').pop() ?? '';
    return (await engine.push.receive(name, request)).response;
  };
  await time.until(engine.start());
  const { id: applicationId } = await time.until(engine.applications.create({ name: 'Cost', redirectUrls: [] }));
  const providerType = provider === 'google' ? 'PROVIDER_A' : 'PROVIDER_B';
  server.addClient({ ...CLIENT, redirectUris: ['https://app.test/'] });
  await time.until(engine.oauthClients.set(applicationId, providerType, CLIENT));
  const caller = { applicationId };
  const calendars: WatchedCalendar[] = [];
  for (let number = 0; number < asked.calendars; number += 1) {
    const email = `person${number}@${provider}.example`;
    server.addMailbox({ email, name: 'Person', timeZone: ZONE });
    const events = Array.from({ length: asked.events }, (_, index) => eventOf(number, index, time.now()));
    server.importCalendar(email, { name: 'Calendar', timeZone: ZONE, events }, 'primary');
    const refreshToken = server.issueRefreshToken({ email, clientId: CLIENT.clientId });
    const { account } = await time.until(
      time.hold(() => engine.accounts.upsert(caller, { email, providerType, refreshToken })),
    );
    const list = await time.until(engine.calendars.list(caller, account.id, {}));
    const primary = list.data.find((each) => 'isPrimary' in each && each.isPrimary);
    if (primary === undefined) throw new Error('a mailbox has no primary calendar');
    const body = { calendarId: primary.id, webhookUrl: 'http://127.0.0.1:8080/hook' };
    await time.until(engine.subscriptions.create(caller, account.id, body));
    calendars.push({ email, accountId: account.id, calendarId: primary.id });
  }
  // Each pull at Graph lists all events of the last minute of changes: an import is that minute until a later change.
  await time.pass(2 * IMPORT_SHADOW_MS);
  for (const calendar of calendars) await changeEvent(sandbox, provider, calendar, FIRST_CHANGE);
  await time.pass(IMPORT_SHADOW_MS);
  sandbox.notifications.setFaults({ drop });
  return {
    time,
    sandbox,
    engine,
    applicationId,
    calendars,
    change: (calendar, number) => changeEvent(sandbox, provider, calendar, number),
    onMirrored(listener) {
      mirrored = listener;
    },
    async close() {
      await time.until(engine.stop());
      await sandbox.close();
      await storage.close();
    },
  };
}

/** Returns the length of a sleep that ends at the next whole step, if it is one of an idle loop. */
function idleUntil(now: number, ms: number): number {
  if (ms < IDLE_FROM_MS) return ms;
  return Math.ceil((now + ms) / IDLE_STEP_MS) * IDLE_STEP_MS - now;
}

const HOUR_MS = 3_600_000;

function eventOf(calendar: number, index: number, now: number) {
  const wall = (at: number) => new Date(at).toISOString().slice(0, 19);
  const startMs = Math.floor(now / HOUR_MS) * HOUR_MS + (index - 20) * HOUR_MS;
  return {
    uid: `event-${calendar}-${index}`,
    summary: `Event ${index}`,
    description: '',
    location: '',
    dtstart: wall(startMs),
    dtend: wall(startMs + HOUR_MS / 2),
    timeZone: ZONE,
    recurrence: index % 20 === 19 ? ['RRULE:FREQ=WEEKLY;COUNT=10'] : [],
    recurrenceId: null,
    cancelled: false,
    transparent: false,
    visibility: 'default' as const,
    organizer: null,
    attendees: [],
  };
}

type Items = readonly { readonly id: string }[];

/** Changes one of the first events of a calendar with a title of its own. */
async function changeEvent(
  sandbox: Sandbox,
  provider: OAuthProviderName,
  { email, calendarId }: WatchedCalendar,
  number: number,
): Promise<string> {
  const token = await sandbox.accessToken({ provider, email });
  const isGoogle = provider === 'google';
  const place = isGoogle ? `calendar/v3/calendars/${encodeURIComponent(calendarId)}/events` : 'v1.0/me/events';
  const call = async (method: string, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'IdType="ImmutableId"',
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await sandbox.fetch(new Request(`${SANDBOX_URL}/${provider}/${path}`, init));
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly items?: Items; readonly value?: Items };
  };
  const query = isGoogle ? '?maxResults=10' : '?$top=10&$select=id,type';
  const list = await call('GET', place + query);
  const items = list.items ?? list.value ?? [];
  const event = items[number % items.length];
  if (event === undefined) throw new Error('a calendar has no event to change');
  await call(
    'PATCH',
    `${place}/${encodeURIComponent(event.id)}`,
    isGoogle ? { summary: `Change ${number}` } : { subject: `Change ${number}` },
  );
  return event.id;
}
