import { type ManualClock, manualClock } from '@kalends/conformance';
import { seedDemo } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { seededRandom } from '../../adapters/conformance/src/support/seeded-random.ts';
import { adminInterface } from '../../adapters/http/src/admin-routes/index.ts';
import type { OperationExample } from '../../adapters/http/src/operation-example.ts';
import { applicationInterface } from '../../adapters/http/src/routes/index.ts';
import { ADMIN_TOKEN, type Admin, adminOf } from '../interface/admin-world.ts';
import { type Answer, createWorld, type Json, SANDBOX_URL, type World } from '../interface/world.ts';

/** One played operation: its example, and the path and the status as they were. */
export interface Played extends OperationExample {
  readonly operationId: string;
  readonly tag: string;
  readonly path: string;
  readonly answer: Json;
}

interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/** Plays an operation, records it, and resolves with its answer. `name` is that of an answer among several shapes of it. */
type Play = (operationId: string, parts?: Parts, name?: string) => Promise<Json>;

const MAIL = 'ada@gmail.example';
/** Monday, as in the demo. */
const NOW = Date.UTC(2027, 2, 1, 9);
const WINDOW = { startDateTime: '2027-03-01T00:00:00Z', endDateTime: '2027-03-08T00:00:00Z' };
const ROUTES = [...applicationInterface.routes, ...adminInterface.routes];

/** Operations that providers, and the pages before them, call. */
export const OF_PROVIDERS: readonly string[] = ['authorizationCallback', 'receivePush', 'showSignIn', 'signIn'];

/**
 * Plays every operation of both interfaces but those of providers once, in the demo's calendars, each with the request that the documents offer.
 * @throws Error when one is refused
 */
export async function playExamples(): Promise<readonly Played[]> {
  const clock = manualClock(NOW);
  const storage = sqlite({ path: ':memory:', clock });
  const ofWorld = { clock, background: false, hasCalDav: true };
  const world = await createWorld({ storage, clock, random: seededRandom(3) }, ofWorld);
  const admin = adminOf(world);
  seedDemo(world.sandbox);
  const played: Played[] = [];
  const play: Play = async (operationId, parts = {}, name) => {
    const example = await playOne(world, admin, operationId, parts);
    const index = played.findIndex((each) => each.operationId === operationId);
    const { variants, ...first } = played[index] ?? example;
    const named = name === undefined ? {} : { variants: { ...variants, [name]: example.response } };
    played.splice(index === -1 ? played.length : index, 1, { ...first, ...named });
    return example.answer;
  };
  try {
    await playTenants(play, world);
    const accountId = await playAccounts(play, world);
    const { calendarId } = await playCalendars(play, world, accountId);
    await playEvents(play, world, accountId, calendarId);
    await playHolds(play, world, { endUserAccountId: accountId, calendarIds: [calendarId] });
    await playFeeds(play, world, { endUserAccountId: accountId, calendarId });
    await playReceivers(play, { world, storage, clock }, accountId);
    await playOperations(play, { world, clock }, accountId);
    await playEndings(play, world, accountId);
    return played;
  } finally {
    await world.close();
  }
}

async function playOne(world: World, admin: Admin, operationId: string, parts: Parts): Promise<Played> {
  const { params = {}, query = {}, headers = {}, body } = parts;
  const route = ROUTES.find((each) => each.operationId === operationId);
  if (route === undefined) throw new Error(`There is no operation ${operationId}.`);
  const address = route.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const method = route.method.toUpperCase();
  const type: Record<string, string> = route.takesFile === true ? { 'content-type': 'text/calendar' } : {};
  const request = { headers: { ...type, ...headers }, ...(body === undefined ? {} : { body }) };
  const isOurs = route.path.startsWith('/admin/');
  const answered = route.isStream
    ? await playStream(world, admin, `${address}${search}`)
    : isOurs
      ? await admin.call(method, `${address.replace('/admin/v1', '')}${search}`, { ...request, token: ADMIN_TOKEN })
      : await world.call(method, `${address}${search}`, request);
  if (answered.status >= 400) {
    throw new Error(`${operationId} was refused: ${answered.status} ${JSON.stringify(answered.body)}`);
  }
  const { status, body: answer } = answered;
  const { tag, path } = route;
  const isShown = route.mediaType === 'text/calendar' || (typeof answer === 'object' && answer !== null);
  return {
    operationId,
    tag,
    path,
    answer: isShown ? answer : { location: answered.headers.get('location') },
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
    ...(isShown ? { status, response: answer } : {}),
  };
}

/** Begins a stream, makes something happen, and resolves with the first event. */
async function playStream({ engine, applicationId }: World, admin: Admin, path: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await admin.handler(new Request(`http://kalends.test${path}`, { headers }));
  await engine.applications.update(applicationId, { name: 'My shop' });
  for await (const chunk of response.body ?? []) {
    const data = /^data: (.*)$/m.exec(new TextDecoder().decode(chunk))?.[1];
    if (data !== undefined) return { status: response.status, headers: response.headers, body: JSON.parse(data) };
  }
  throw new Error('The stream ended without an event.');
}

async function playTenants(play: Play, { applicationId: app }: World): Promise<void> {
  await play('createApplication', { body: { name: 'Shop', redirectUrls: ['https://shop.example.com/connected'] } });
  await play('listApplications', { query: { limit: '1' } });
  await play('getApplication', { params: { app } });
  await play('updateApplication', { params: { app }, body: { name: 'My shop' } });
  const url = 'https://shop.example.com/calendar/connected';
  await play('addRedirectUrl', { params: { app }, body: { url } });
  await play('removeRedirectUrl', { params: { app }, body: { url } });
  await play('setOAuthClient', {
    params: { app, provider: 'provider_a' },
    body: { clientId: 'client', clientSecret: 'client-secret' },
  });
  await play('listOAuthClients', { params: { app } });
  await play('getOAuthClient', { params: { app, provider: 'provider_a' } });
  await play('testOAuthClient', { params: { app, provider: 'provider_a' } });
  const { apiKey } = await play('createApiKey', {
    params: { app },
    body: { name: 'Reports', expiresAt: '90d', readOnly: true, canReadCredentials: false },
  });
  await play('listApiKeys', { params: { app } });
  await play('revokeApiKey', { params: { app, key: apiKey.id } });
}

async function playAccounts(play: Play, world: World): Promise<string> {
  const connection = { email: MAIL, providerType: 'PROVIDER_A', externalId: 'user-42' };
  const body = { ...connection, refreshToken: world.refreshToken('google', MAIL) };
  const { id } = await play('upsertEndUserAccount', { body });
  await play('listEndUserAccounts', { query: { search: 'ada', limit: '50' } });
  await play('getEndUserAccount', { params: { id } });
  await play('getEndUserAccountCredentials', { params: { id } }, 'tokens');
  const username = 'katherine@caldav.example';
  const password = world.sandbox.caldav.addAppPassword({ email: username });
  const signIn = { providerType: 'CALDAV', serverUrl: `${SANDBOX_URL}/caldav/`, username, password };
  const mailbox = await play('connectAccount', { params: { app: world.applicationId }, body: signIn });
  await play('getEndUserAccountCredentials', { params: { id: mailbox.id } }, 'password');
  await play('listUnreadableObjects', { params: { id } });
  await play('authorize', {
    params: { app_id: world.applicationId, provider: 'provider_a' },
    query: { redirectUrl: 'https://app.test/connected', loginHint: MAIL, state: 'of-your-own' },
  });
  return id;
}

async function playCalendars(
  play: Play,
  world: World,
  endUserAccountId: string,
): Promise<{ readonly calendarId: string }> {
  const params = { endUserAccountId, calendarId: MAIL };
  await play('listCalendars', { params: { endUserAccountId }, query: { limit: '50' } });
  await play('getCalendar', { params });
  const created = await play('createCalendar', {
    params: { endUserAccountId },
    headers: { 'Idempotency-Key': 'create-calendar-42' },
    body: { name: 'Rehearsals', timeZone: 'Europe/London' },
  });
  const own = { endUserAccountId, calendarId: created.id };
  await play('updateCalendar', { params: own, body: { name: 'Choir' } });
  const start = { dateTime: '2027-03-03T18:00:00', timeZone: 'Europe/London' };
  const rehearsal = { title: 'Rehearsal', start, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] };
  await world.call('POST', `/v1/events/${endUserAccountId}/${encodeURIComponent(created.id)}`, { body: rehearsal });
  await play('exportCalendar', { params: own });
  const { id: importId } = await play('importCalendar', {
    params: own,
    query: { dryRun: 'true' },
    body: FILE,
  });
  await play('getImport', { params: { ...own, importId } });
  await play('deleteCalendar', { params: own });
  return { calendarId: MAIL };
}

const FILE = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'BEGIN:VEVENT',
  'UID:concert@example.com',
  'DTSTART:20270310T190000Z',
  'DTEND:20270310T210000Z',
  'SUMMARY:Concert',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

async function playHolds(play: Play, world: World, participant: Json): Promise<void> {
  const slot = (hour: string) => ({
    startDateTime: `2027-03-04T${hour}:00:00`,
    endDateTime: `2027-03-04T${hour}:30:00`,
    timeZone: 'Europe/London',
  });
  const shown = { tentativeEvent: { writeTo: 'organizer', title: 'Hold: Advice' } };
  const rules = { openHours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '21:00' }] };
  const hold = { participants: [participant], ...slot('18'), expiresInSeconds: 300, ...shown, rules };
  const { id: holdId } = await play('createHold', { body: hold });
  await play('getHold', { params: { holdId } });
  const event = { title: 'Advice', attendees: [{ email: 'mary@example.com', name: 'Mary' }] };
  const { token } = await play('confirmHold', { params: { holdId }, body: { event } });
  await play('getBooking', { params: { token } });
  await play('moveBooking', { params: { token }, body: slot('19') });
  await play('cancelBooking', { params: { token } });
  const { body: unused } = await world.call('POST', '/v1/holds', { body: hold });
  await play('deleteHold', { params: { holdId: unused.id } });
}

async function playFeeds(
  play: Play,
  { applicationId: app }: World,
  calendar: Readonly<Record<'endUserAccountId' | 'calendarId', string>>,
): Promise<void> {
  const body = { name: 'Office hours', calendars: [calendar], detail: 'busy' };
  const { feed, url } = await play('createFeed', { body });
  await play('listFeeds', { query: { limit: '50' } });
  await play('readFeed', { params: { secret: /feeds\/(\w+)\.ics$/.exec(url)?.[1] ?? '' } });
  await play('deleteFeed', { params: { feedId: feed.id } });
  const calendars = [`${calendar.endUserAccountId}/${calendar.calendarId}`];
  const { feed: ours } = await play('publishFeed', { params: { app }, body: { ...body, calendars } });
  await play('listPublishedFeeds', { params: { app } });
  await play('revokeFeed', { params: { app, feed: ours.id } });
}

async function playEvents(play: Play, world: World, endUserAccountId: string, calendarId: string): Promise<void> {
  const params = { endUserAccountId, calendarId };
  await world.call('GET', `/v1/events/${endUserAccountId}/${encodeURIComponent(calendarId)}`);
  await play('listEvents', {
    params,
    query: { ...WINDOW, expandRecurrences: 'true', orderBy: 'startDateTime', timeZone: 'Europe/London', limit: '50' },
  });
  const event = await play('createEvent', {
    params,
    headers: { 'Idempotency-Key': 'create-event-42' },
    body: {
      title: 'Planning',
      description: 'The next quarter',
      location: 'Room 3',
      start: { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/London' },
      end: { dateTime: '2027-03-02T10:00:00', timeZone: 'Europe/London' },
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10'],
      attendees: [{ email: 'mary@example.org' }],
    },
  });
  const one = { ...params, eventId: event.id };
  await play('getEvent', { params: one });
  await play('listOccurrences', { params: one, query: WINDOW });
  await play('updateEvent', { params: one, headers: { 'If-Match': '*' }, body: { location: 'Room 4' } });
  await play('getDescription', { params: one, query: { format: 'html' } });
  await play('listAttachments', { params: one });
  const { body: listed } = await world.call(
    'GET',
    `/v1/events/${endUserAccountId}/${encodeURIComponent(calendarId)}?search=reading`,
  );
  const invitation = listed.data.find(({ title }: Json) => title.includes('reading'));
  await play('respondToEvent', { params: { ...params, eventId: invitation.id }, body: { responseStatus: 'accepted' } });
  await play('deleteEvent', { params: one, query: { scope: 'all' } });
  await play('queryFreeBusy', {
    params: { endUserAccountId },
    body: { ...WINDOW, timeZone: 'Europe/London', calendarIds: [calendarId] },
  });
  const accounts = [{ endUserAccountId, calendarIds: [calendarId] }];
  await play('queryFreeBusyOfAccounts', { body: { ...WINDOW, timeZone: 'Europe/London', accounts } });
  const openHours = [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' }];
  const lunch = { startDateTime: '2027-03-02T12:00:00Z', endDateTime: '2027-03-02T13:00:00Z' };
  const question = {
    startDateTime: '2027-03-02T00:00:00Z',
    endDateTime: '2027-03-03T00:00:00Z',
    timeZone: 'Europe/London',
    durationMinutes: 60,
    stepMinutes: 60,
    participants: [
      { id: 'ada', accounts, openHours, bufferAfterMinutes: 15 },
      { id: 'grace', role: 'optional', busy: [lunch] },
    ],
  };
  await play('queryAvailability', { body: { ...question, orderBy: 'rank', limit: 3 } });
  await play('explainAvailability', { body: { ...question, slotDateTime: '2027-03-02T14:00:00Z' } });
}

async function playReceivers(
  play: Play,
  {
    world,
    storage,
    clock,
  }: {
    readonly world: World;
    readonly storage: ReturnType<typeof sqlite>;
    readonly clock: ReturnType<typeof manualClock>;
  },
  endUserAccountId: string,
): Promise<void> {
  const app = world.applicationId;
  const { webhookSubscriptionId: subscriptionId } = await play('createCalendarSubscription', {
    params: { endUserAccountId },
    body: { calendarId: MAIL, webhookUrl: 'https://shop.example.com/webhooks/calendars' },
  });
  const { webhookEndpointId } = await play('createWebhookEndpoint', {
    body: { webhookUrl: 'https://shop.example.com/webhooks/accounts', rateLimit: 50 },
  });
  await play('listCalendarSubscriptions', { params: { endUserAccountId } });
  await play('listWebhookEndpoints');
  await play('listReceivers', { params: { app } });

  const send = async (receiver: string, number: number): Promise<string> => {
    const messageId = `msg_example${number}`;
    const message = { eventType: 'calendar.event.changed', timestamp: clock.now(), messageId } as const;
    await storage.outbox.enqueue({ applicationId: app, targetId: receiver, ...message });
    const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 1, leaseMs: 1_000 });
    for (const {
      epoch,
      target,
      message: { eventType },
    } of claims) {
      const attempt = { id: `att_example${number}`, eventType, at: clock.now(), status: 204, failure: null };
      const settled = { ...attempt, latencyMs: 41, excerpt: '' };
      const outcome = { kind: 'delivered' } as const;
      const end = { applicationId: app, targetId: target.id, messageId, epoch, attempt: settled, outcome };
      await storage.outbox.acknowledgeAndClaim([end], { limit: 0, leaseMs: 1_000 });
    }
    await clock.advance(1_000);
    return messageId;
  };
  const since = new Date(NOW).toISOString();
  const onSubscription = { endUserAccountId, subscriptionId };
  const ofSubscription = await send(subscriptionId, 1);
  await play('listCalendarSubscriptionDeliveries', { params: onSubscription });
  await play('redeliverCalendarSubscription', { params: onSubscription, body: { messageId: ofSubscription } });
  await play('recoverCalendarSubscription', { params: onSubscription, body: { since } });
  await play('rotateCalendarSubscriptionSecret', { params: onSubscription });
  await play('enableCalendarSubscription', { params: onSubscription });
  const ofEndpoint = await send(webhookEndpointId, 2);
  await play('listWebhookEndpointDeliveries', { params: { webhookEndpointId } });
  await play('redeliverWebhookEndpoint', { params: { webhookEndpointId }, body: { messageId: ofEndpoint } });
  await play('recoverWebhookEndpoint', { params: { webhookEndpointId }, body: { since } });
  await play('rotateWebhookEndpointSecret', { params: { webhookEndpointId } });
  await play('enableWebhookEndpoint', { params: { webhookEndpointId } });
  const params = { app, receiver: subscriptionId };
  await play('listDeliveries', { params, query: { limit: '10' } });
  await play('redeliver', { params, body: { messageId: ofSubscription } });
  await play('recover', { params, body: { since } });
  await play('enableReceiver', { params });
  await play('deleteWebhookEndpoint', { params: { webhookEndpointId } });
  await play('deleteCalendarSubscription', { params: { endUserAccountId }, body: { subscriptionId } });
}

async function playOperations(
  play: Play,
  { world: { applicationId: app }, clock }: { readonly world: World; readonly clock: ManualClock },
  account: string,
): Promise<void> {
  await play('listAccounts', { params: { app }, query: { search: 'ada' } });
  await play('getAccount', { params: { app, account } });
  await play('getSyncHealth', { params: { app, account } });
  await play('syncAccount', { params: { app, account } });
  await play('createReconnectLink', { params: { app, account } });
  await play('diagnose');
  await play('listAuditLog', { query: { applicationId: app, limit: '20' } });
  // Until the process stores what it has measured.
  await clock.advance(15_000);
  await play('listMeasurements', { query: { names: 'pulls,deliveries', stepMs: '300000' } });
  await play('streamActivity', { query: { applicationId: app, types: 'audit.written' } });
}

async function playEndings(play: Play, world: World, account: string): Promise<void> {
  const app = world.applicationId;
  await play('deleteEndUserAccount', { params: { id: account } });
  const email = 'grace@outlook.example';
  const body = { email, providerType: 'PROVIDER_B', refreshToken: world.refreshToken('microsoft', email) };
  const { status, body: other } = await world.call('POST', '/v1/endUserAccounts', { body });
  if (status !== 201) throw new Error(JSON.stringify(other));
  await play('expireAccount', { params: { app, account: other.id } });
  await play('deleteAccount', { params: { app, account: other.id } });
  await play('removeOAuthClient', { params: { app, provider: 'provider_b' } });
  await play('deleteApplication', { params: { app } });
}
