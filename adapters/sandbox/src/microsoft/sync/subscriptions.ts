import type { Subscription } from '@microsoft/microsoft-graph-types';
import { z } from 'zod';
import { timeoutSignal } from '../../runtime/real-time.ts';
import { GraphError, randomGuid } from '../api/graph-error.ts';
import { emptyAnswer, type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { getAccess } from '../calendars/access.ts';
import { parseBody } from '../events/event-body.ts';
import { objectIdOf } from '../identity.ts';
import type { StoredSubscription } from '../state.ts';
import { formatGraphInstant, readQueryInstant } from '../times.ts';
import { dropExpiredSubscriptions } from './changes.ts';

const MINUTE_MS = 60_000;
const SHORTEST_MS = 45 * MINUTE_MS;
const HANDSHAKE_MS = 10_000;
const MOST_PER_MAILBOX = 1000;

const createBody = z.looseObject({
  changeType: z.string().min(1),
  resource: z.string().min(1),
  notificationUrl: z.string().min(1),
  lifecycleNotificationUrl: z.string().nullish(),
  clientState: z.string().max(128).nullish(),
  expirationDateTime: z.string(),
});

const renewBody = z.looseObject({
  expirationDateTime: z.string().optional(),
  notificationUrl: z.string().optional(),
  lifecycleNotificationUrl: z.string().nullish(),
});

const invalid = (message: string): GraphError => new GraphError(400, 'InvalidRequest', message);

function subscriptionView(subscription: StoredSubscription): Subscription {
  return {
    id: subscription.id,
    resource: subscription.resource,
    applicationId: subscription.clientId,
    changeType: subscription.changeType,
    clientState: subscription.clientState,
    notificationUrl: subscription.notificationUrl,
    notificationQueryOptions: null,
    lifecycleNotificationUrl: subscription.lifecycleNotificationUrl,
    expirationDateTime: formatGraphInstant(subscription.expiresAt),
    creatorId: objectIdOf(subscription.email),
    includeResourceData: null,
    latestSupportedTlsVersion: 'v1_2',
    encryptionCertificate: null,
    encryptionCertificateId: null,
    notificationUrlAppId: null,
  };
}

/** The expiry that a request gets: raised to 45 minutes from now. @throws GraphError 400 past the longest life */
function readExpiry(graph: GraphRequest, text: string): number {
  const now = graph.world.kernel.clock.now();
  const asked = readQueryInstant(text, 'expirationDateTime');
  if (asked <= now) throw invalid('Subscription expiration must be in the future.');
  const { longestSubscriptionMs } = graph.world.state.settings;
  if (asked > now + longestSubscriptionMs) {
    const minutes = longestSubscriptionMs / MINUTE_MS;
    throw new GraphError(
      400,
      'ExtensionError',
      `Operation: Create; Exception: Subscription expiration can only be ${minutes} minutes in the future.`,
    );
  }
  return Math.max(asked, now + SHORTEST_MS);
}

function readChangeType(text: string): string {
  const types = text.split(',').map((type) => type.trim().toLowerCase());
  if (types.some((type) => !['created', 'updated', 'deleted'].includes(type))) {
    throw invalid(`The changeType '${text}' is not supported.`);
  }
  return [...new Set(types)].join(',');
}

type Watched = Pick<StoredSubscription, 'calendarKey' | 'isCalendarList'>;

/** Returns what a resource names. @throws GraphError 400, 404 */
function readResource(graph: GraphRequest, resource: string): Watched {
  const path = decodeURIComponent(resource)
    .replace(/^https?:\/\/[^/]+\/v1\.0/i, '')
    .replace(/\('([^']*)'\)/g, '/$1')
    .replace(/^\/+/, '');
  const [scope, ...rest] = /^users\//i.test(path) ? ['me', ...path.split('/').slice(2)] : path.split('/');
  if (scope === 'me' && rest.length === 1 && rest[0] === 'calendars')
    return { calendarKey: null, isCalendarList: true };
  if (scope !== 'me' || rest.at(-1) !== 'events') throw invalid(`The resource '${resource}' is not supported.`);
  const [collection, calendarId = ''] = rest;
  if (collection === 'calendars' && rest.length === 3) {
    return { calendarKey: getAccess(graph, calendarId).calendar.key, isCalendarList: false };
  }
  if (rest.length === 1 || (rest[0] === 'calendar' && rest.length === 2)) {
    return { calendarKey: null, isCalendarList: false };
  }
  throw invalid(`The resource '${resource}' is not supported.`);
}

const failedValidation = (reason: string): GraphError =>
  new GraphError(400, 'ValidationError', `Subscription validation request failed. ${reason}`);

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw invalid(`The URL '${text}' is not valid.`);
  return url;
}

/** Asks a URL to echo a token as text within ten seconds. @throws GraphError 400 ValidationError */
async function shakeHands(graph: GraphRequest, target: string): Promise<void> {
  const token = `Validation: Testing client application reachability for subscription ${randomGuid(graph.world)}`;
  const url = parseUrl(target);
  url.searchParams.set('validationToken', token);
  let status: number;
  let echoed: string;
  try {
    const response = await graph.world.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      signal: timeoutSignal(HANDSHAKE_MS),
    });
    status = response.status;
    echoed = await response.text();
  } catch (error) {
    throw failedValidation(error instanceof Error && error.name === 'TimeoutError' ? 'It timed out.' : String(error));
  }
  if (status !== 200) throw failedValidation(`Must respond with 200 OK to this request, not ${status}.`);
  if (echoed !== token) throw failedValidation('Must respond with the decoded validation token.');
}

function isDuplicate(graph: GraphRequest, asked: Watched & Pick<StoredSubscription, 'changeType'>): boolean {
  return mine(graph).some(
    ({ calendarKey, isCalendarList, changeType }) =>
      calendarKey === asked.calendarKey && isCalendarList === asked.isCalendarList && changeType === asked.changeType,
  );
}

/** Fails as the services behind Graph do at times, where a control says so. @throws GraphError */
function refuseCreation({ world }: GraphRequest): void {
  const { subscriptionRefusal } = world.state.settings;
  if (subscriptionRefusal === 'extensionError') {
    throw new GraphError(404, 'ExtensionError', 'Operation: Create; Exception: [Status Code: NotFound]');
  }
  if (subscriptionRefusal === 'unknownBackend') {
    throw new GraphError(503, 'ServiceUnavailable', "The backend 'Unknown' did not answer.");
  }
}

function mine(graph: GraphRequest): StoredSubscription[] {
  dropExpiredSubscriptions(graph.world);
  const email = graph.mailbox.email.toLowerCase();
  return Object.values(graph.world.state.subscriptions).filter(
    (subscription) => subscription.email === email && subscription.clientId === graph.clientId,
  );
}

/** @throws GraphError 404 */
function getMine(graph: GraphRequest, id: string): StoredSubscription {
  const subscription = mine(graph).find((each) => each.id === id);
  if (!subscription) throw new GraphError(404, 'ResourceNotFound', 'The object was not found.');
  return subscription;
}

/** POST /subscriptions: both URLs answer the handshake first. */
export async function createSubscription(graph: GraphRequest): Promise<Response> {
  const body = parseBody(createBody, graph.body, 'microsoft.graph.subscription');
  const watched = readResource(graph, body.resource);
  const changeType = readChangeType(body.changeType);
  if (watched.isCalendarList && changeType.includes('created')) {
    throw invalid(`The changeType '${body.changeType}' is not supported for this resource.`);
  }
  refuseCreation(graph);
  readExpiry(graph, body.expirationDateTime);
  const conflict = new GraphError(409, 'Conflict', 'A subscription to this resource with this changeType exists.');
  if (isDuplicate(graph, { ...watched, changeType })) throw conflict;
  if (mine(graph).length >= MOST_PER_MAILBOX) throw new GraphError(403, 'Forbidden', 'Too many subscriptions.');
  await shakeHands(graph, body.notificationUrl);
  if (body.lifecycleNotificationUrl) await shakeHands(graph, body.lifecycleNotificationUrl);
  // Another request may have got there during the handshake.
  if (isDuplicate(graph, { ...watched, changeType })) throw conflict;
  const subscription: StoredSubscription = {
    id: randomGuid(graph.world),
    email: graph.mailbox.email.toLowerCase(),
    clientId: graph.clientId,
    resource: body.resource,
    ...watched,
    changeType,
    clientState: body.clientState ?? null,
    notificationUrl: body.notificationUrl,
    lifecycleNotificationUrl: body.lifecycleNotificationUrl ?? null,
    immutableIds: graph.prefer.immutableIds,
    expiresAt: readExpiry(graph, body.expirationDateTime),
  };
  graph.world.state.subscriptions[subscription.id] = subscription;
  graph.world.kernel.touched();
  return jsonAnswer(graph, subscriptionView(subscription), 201);
}

export function listSubscriptions(graph: GraphRequest): Response {
  return jsonAnswer(graph, {
    '@odata.context': `${graph.root}/v1.0/$metadata#subscriptions`,
    value: mine(graph).map(subscriptionView),
  });
}

export const getSubscription = (graph: GraphRequest, id: string): Response =>
  jsonAnswer(graph, subscriptionView(getMine(graph, id)));

/** PATCH: a new expiry, or a new URL, which answers the handshake first. */
export async function renewSubscription(graph: GraphRequest, id: string): Promise<Response> {
  const subscription = getMine(graph, id);
  const body = parseBody(renewBody, graph.body, 'microsoft.graph.subscription');
  const { lifecycleNotificationUrl: lifecycle } = body;
  if (lifecycle !== undefined && lifecycle !== subscription.lifecycleNotificationUrl) {
    throw invalid('The lifecycleNotificationUrl of a subscription cannot be changed.');
  }
  if (body.expirationDateTime !== undefined) readExpiry(graph, body.expirationDateTime);
  if (body.notificationUrl !== undefined && body.notificationUrl !== subscription.notificationUrl) {
    await shakeHands(graph, body.notificationUrl);
    subscription.notificationUrl = body.notificationUrl;
  }
  if (body.expirationDateTime !== undefined) subscription.expiresAt = readExpiry(graph, body.expirationDateTime);
  graph.world.kernel.touched();
  return jsonAnswer(graph, subscriptionView(subscription));
}

/** POST /subscriptions/{id}/reauthorize. */
export function reauthorizeSubscription(graph: GraphRequest, id: string): Response {
  getMine(graph, id);
  return emptyAnswer(204);
}

export function deleteSubscription(graph: GraphRequest, id: string): Response {
  delete graph.world.state.subscriptions[getMine(graph, id).id];
  graph.world.kernel.touched();
  return emptyAnswer(204);
}
