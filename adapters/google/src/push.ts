import type { ProviderPush, PushNotification, PushResource } from 'kalends/ports';
import { isGone } from './errors.ts';
import type { Transport } from './transport.ts';
import { wireChannel } from './wire.ts';

/** Google's notification channels. @see https://developers.google.com/workspace/calendar/api/guides/push */
export function createPush(transport: Transport): ProviderPush {
  return {
    async open(session, { channelId, token, address, resource, expiresAt }) {
      const body = { id: channelId, type: 'web_hook', address, token, expiration: String(expiresAt) };
      const request = { method: 'POST', path: watchPath(resource), body } as const;
      const channel = await transport.call(session, request, wireChannel);
      return {
        providerChannelId: channel.id,
        resourceId: channel.resourceId,
        // Google may grant less than was asked for.
        expiresAt: channel.expiration == null ? expiresAt : Number(channel.expiration),
      };
    },

    /** A channel of Google's cannot be extended. */
    renew: async () => null,

    async close(session, { providerChannelId, resourceId }) {
      const body = { id: providerChannelId, resourceId };
      try {
        await transport.send(session, { method: 'POST', path: ['channels', 'stop'], body, repeatable: true });
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    },

    async receive(request) {
      const notification = readNotification(request);
      return notification === undefined
        ? { response: new Response(null, { status: 400 }), notifications: [] }
        : { response: new Response(null, { status: 202 }), notifications: [notification] };
    },
  };
}

function watchPath(resource: PushResource): readonly string[] {
  return resource.kind === 'events'
    ? ['calendars', resource.calendarId, 'events', 'watch']
    : ['users', 'me', 'calendarList', 'watch'];
}

/** Everything is in the headers; the body is empty, and Drive's notifications (with one) are none of ours. */
function readNotification(request: Request): PushNotification | undefined {
  const channelId = request.headers.get('x-goog-channel-id');
  const state = request.headers.get('x-goog-resource-state');
  if (request.method !== 'POST' || !channelId || state === null) return undefined;
  if (!['sync', 'exists', 'not_exists'].includes(state)) return undefined;
  return {
    providerChannelId: channelId,
    token: request.headers.get('x-goog-channel-token') ?? undefined,
    // `not_exists` is found out by the pull that a change sets off.
    kind: state === 'sync' ? 'sync' : 'changed',
    providerEventIds: [],
  };
}
