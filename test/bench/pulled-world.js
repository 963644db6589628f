// An engine over a storage, with a mailbox that has been pulled: one large calendar, one of series, and fifty small ones.
import { google, googleEndpoints } from '@kalends/google';
import { createSandbox } from '@kalends/sandbox';
import { createEngine } from 'kalends';
import { eventOf } from './mailbox.js';

const SANDBOX = 'http://sandbox.test';
const CLIENT = { clientId: 'bench', clientSecret: 'bench' };
const EMAIL = 'bench@gmail.example';
/** Of the large calendar; KALENDS_BENCH_EVENTS changes it. */
export const EVENTS = Number(process.env.KALENDS_BENCH_EVENTS ?? 50_000);
export const SERIES = 1_000;
export const CALENDARS = 50;
const ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2026, 0, 1);
/** Calendars of free/busy are full from then on. */
const BUSY_MS = Date.UTC(2026, 2, 2);

const eventsOf = (prefix, count, { firstMs = FIRST_MS, recurrence } = {}) =>
  Array.from({ length: count }, (_, index) =>
    eventOf(`${prefix}-${index}`, firstMs + (index % 8_000) * HOUR_MS, recurrence),
  );

/**
 * A list of its calendars is fresh. The provider is in this process until `leaveProvider`: with all its events in the heap, each
 * collection of garbage would take as long as a server's never does.
 */
export async function createWorld(storage) {
  let sandbox = createSandbox({ seed: 1 });
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  sandbox.google.addMailbox({ email: EMAIL, name: 'Bench', timeZone: ZONE });
  const calendar = (name, events, target) =>
    sandbox.google.importCalendar(EMAIL, { name, timeZone: ZONE, events }, target);
  calendar('Bench', eventsOf('single', EVENTS), 'primary');
  calendar('Series', eventsOf('series', SERIES, { recurrence: ['RRULE:FREQ=WEEKLY'] }));
  for (let index = 0; index < CALENDARS; index += 1) {
    calendar(`Busy ${index}`, eventsOf(`busy${index}`, 40, { firstMs: BUSY_MS }));
  }
  const engine = createEngine({
    storage,
    providers: {
      PROVIDER_A: google({
        ...googleEndpoints(`${SANDBOX}/google`),
        fetch: (input, init) => sandbox.fetch(new Request(input, init)),
        limits: { callsPerInterval: Number.POSITIVE_INFINITY },
      }),
    },
    secret: Buffer.alloc(32, 1).toString('base64'),
    sync: { freshWithoutPushMs: 24 * HOUR_MS, readWaitMs: 600_000 },
  });
  await engine.start({ background: false });
  const application = await engine.applications.create({ name: 'Bench' });
  await engine.oauthClients.set(application.id, 'PROVIDER_A', CLIENT);
  const { key } = await engine.apiKeys.create(application.id, { name: 'Bench', expiresAt: null });
  const caller = { applicationId: application.id };
  const refreshToken = sandbox.google.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId });
  const { account } = await engine.accounts.upsert(caller, { email: EMAIL, providerType: 'PROVIDER_A', refreshToken });
  const { data: calendars } = await engine.calendars.list(caller, account.id, { pageSize: 250 });
  const idOf = (name) => calendars.find((one) => one.name === name).id;
  const world = {
    engine,
    caller,
    account,
    key,
    primary: calendars.find(({ isPrimary }) => isPrimary).id,
    series: idOf('Series'),
    busy: Array.from({ length: CALENDARS }, (_, index) => idOf(`Busy ${index}`)),
    /** Whatever is asked of the provider afterwards fails. */
    leaveProvider() {
      sandbox = undefined;
    },
  };
  for (const id of [world.primary, world.series, ...world.busy]) {
    await engine.events.list(caller, account.id, id, { pageSize: 1 });
  }
  return world;
}

/** Where the pages of 250 of the large calendar begin, but for the first: the token of each, and the last id before it. */
export async function placesOfPages({ engine, caller, account, primary }) {
  const places = [];
  for (let pageToken; ; ) {
    const page = await engine.events.list(caller, account.id, primary, { pageSize: 250, pageToken });
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return places;
    places.push({ pageToken, lastId: page.data.at(-1).id });
  }
}
