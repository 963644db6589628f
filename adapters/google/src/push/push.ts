import type { ProviderPush, PushNotification, PushResource } from 'kalends/ports';
import type { GoogleClient } from '../transport/google-client.ts';
import { isGone } from '../transport/google-failure.ts';
import { wireChannel } from './channel-wire.ts';

/** Creates Google's notification channels. @see https://developers.google.com/workspace/calendar/api/guides/push */
export function createPush(client: GoogleClient): ProviderPush {
  return {
    async open(session, { channelId, token, address, resource, expiresAt }) {
      const body = { id: channelId, type: 'web_hook', address, token, expiration: String(expiresAt) };
      const request = { method: 'POST', path: watchPath(resource), body } as const;
      const channel = await client.call(session, request, wireChannel);
      return {
        providerChannelId: channel.id,
        resourceId: channel.resourceId,
        // Google may grant a shorter life than requested.
        expiresAt: channel.expiration == null ? expiresAt : Number(channel.expiration),
      };
    },

    /** Google cannot extend a channel. */
    renew: async () => null,

    async close(session, { providerChannelId, resourceId }) {
      const body = { id: providerChannelId, resourceId };
      try {
        await client.send(session, { method: 'POST', path: ['channels', 'stop'], body, effect: 'idempotent' });
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

/** Reads a notification from its headers; the body is empty (notifications of Drive have one). */
function readNotification(request: Request): PushNotification | undefined {
  const channelId = request.headers.get('x-goog-channel-id');
  const state = request.headers.get('x-goog-resource-state');
  if (request.method !== 'POST' || !channelId || state === null) return undefined;
  if (!['sync', 'exists', 'not_exists'].includes(state)) return undefined;
  return {
    providerChannelId: channelId,
    token: request.headers.get('x-goog-channel-token') ?? undefined,
    // The pull that follows finds out what no longer exists.
    kind: state === 'sync' ? 'sync' : 'changed',
    providerEventIds: [],
  };
}
