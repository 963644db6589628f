import { badRequest, GoogleError, notFound, required } from '../api/google-error.ts';
import { isObject, readString } from '../api/json.ts';
import type { Json } from '../api/wire.ts';
import type { Caller, GoogleContext } from '../google-context.ts';
import type { PushChannel } from '../google-state.ts';

const CHANNEL_LIFE_MS = 7 * 86_400_000;
const ID = /^[A-Za-z0-9\-_+/=]{1,64}$/;
const TOKEN_LIMIT = 256;
/** Longest time that an answer is held back so that the first message overtakes it. */
const OVERTAKING_MS = 1_000;

/**
 * Opens a push channel and sends its `sync` message, which overtakes the answer about every second time.
 * @throws GoogleError 400 for a bad or used id, a bad address or token
 */
export async function openChannel(
  context: GoogleContext,
  caller: Caller,
  body: Json,
  resource: { readonly name: string; readonly uri: string },
): Promise<Json> {
  const channel = readChannel(context, caller, body, resource);
  context.state.channels[channel.id] = channel;
  context.kernel.touched();
  send(context, channel, 'sync');
  if (context.kernel.chance(0.5)) await context.kernel.notificationsSettled(OVERTAKING_MS);
  return {
    kind: 'api#channel',
    id: channel.id,
    resourceId: channel.resourceId,
    resourceUri: channel.resourceUri,
    ...(channel.token === null ? {} : { token: channel.token }),
    expiration: String(channel.expiresAt),
  };
}

function readChannel(
  context: GoogleContext,
  caller: Caller,
  body: Json,
  resource: { readonly name: string; readonly uri: string },
): PushChannel {
  const id = readString(body, 'id');
  if (id === undefined || id === '') throw required('Missing channel id.');
  if (!ID.test(id)) throw badRequest('Invalid channel id.');
  if (readString(body, 'type') !== 'web_hook') throw badRequest('Unknown channel type.');
  const token = readString(body, 'token') ?? null;
  if (token !== null && token.length > TOKEN_LIMIT) throw badRequest('Channel token is too long.');
  const address = readString(body, 'address');
  if (address === undefined || !/^https?:$/.test(protocolOf(address)))
    throw badRequest('Invalid webhook callback address.');
  const now = context.kernel.clock.now();
  const existing = context.state.channels[id];
  if (existing !== undefined) {
    throw new GoogleError(400, 'channelIdNotUnique', `Channel id ${id} not unique`, { domain: 'global' });
  }
  return {
    id,
    token,
    address,
    email: caller.mailbox.email,
    resource: resource.name,
    resourceId: Buffer.from(`${caller.mailbox.email} ${resource.name}`).toString('base64url'),
    resourceUri: resource.uri,
    expiresAt: now + Math.min(requestedLifeMs(body, now), CHANNEL_LIFE_MS),
    messageNumber: 0,
  };
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : '';
}

function requestedLifeMs(body: Json, now: number): number {
  const { expiration, params } = body;
  const ttl = isObject(params) ? Number(params['ttl']) : Number.NaN;
  const at = expiration == null ? Number.NaN : Number(expiration);
  if (expiration != null && !(at > now)) throw badRequest('Invalid channel expiration.');
  if (Number.isFinite(at)) return at - now;
  return Number.isFinite(ttl) && ttl > 0 ? ttl * 1000 : CHANNEL_LIFE_MS;
}

/** `POST /channels/stop`. @throws GoogleError 404 for a channel that is unknown or of another person */
export function stopChannel(context: GoogleContext, caller: Caller, body: Json): void {
  const id = readString(body, 'id');
  const resourceId = readString(body, 'resourceId');
  if (id === undefined || resourceId === undefined) throw required('Missing channel id or resource id.');
  const channel = context.state.channels[id];
  if (channel === undefined || channel.resourceId !== resourceId || channel.email !== caller.mailbox.email) {
    throw notFound();
  }
  // The id stays taken and the channel only expires, so that a second stop has the same answer.
  channel.expiresAt = Math.min(channel.expiresAt, context.kernel.clock.now());
  context.kernel.touched();
}

/** Sends one message to each open channel of every resource that changed since the last call. */
export function flushChanges(context: GoogleContext): void {
  if (context.changedResources.size === 0) return;
  for (const channel of Object.values(context.state.channels)) {
    if (context.changedResources.has(channel.resource) && mayStillRead(context, channel))
      send(context, channel, 'exists');
  }
  context.changedResources.clear();
}

/** Tells whether the watcher may still read the resource: a calendar that is no longer shared sends nothing. */
function mayStillRead(context: GoogleContext, channel: PushChannel): boolean {
  const calendar = context.state.calendars[channel.resource.replace(/^events:/, '')];
  return calendar === undefined || calendar.acl[channel.email] !== undefined;
}

function send(context: GoogleContext, channel: PushChannel, resourceState: 'sync' | 'exists'): void {
  if (channel.expiresAt <= context.kernel.clock.now()) return;
  // Numbers rise with gaps, as the API documents.
  channel.messageNumber += resourceState === 'sync' ? 1 : 1 + Number(context.kernel.chance(0.2)) * 3;
  context.kernel.touched();
  context.kernel.notify({
    provider: 'google',
    url: channel.address,
    headers: {
      'content-type': 'application/json; utf-8',
      'user-agent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)',
      'x-goog-channel-id': channel.id,
      ...(channel.token === null ? {} : { 'x-goog-channel-token': channel.token }),
      'x-goog-channel-expiration': new Date(channel.expiresAt).toUTCString(),
      'x-goog-message-number': String(channel.messageNumber),
      'x-goog-resource-id': channel.resourceId,
      'x-goog-resource-uri': channel.resourceUri,
      'x-goog-resource-state': resourceState,
    },
    body: '',
  });
}
