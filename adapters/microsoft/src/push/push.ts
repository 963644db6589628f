import { ProviderError, type ProviderPush, type ProviderSession } from 'kalends/ports';
import { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient } from '../transport/graph-client.ts';
import { GraphFailure } from '../transport/graph-failure.ts';
import { receiveNotifications } from './notifications.ts';

const subscription = z.object({
  id: z.string().min(1),
  resource: z.string().nullish(),
  expirationDateTime: z.string(),
});

const subscriptionPage = z.object({
  value: z.array(
    z.object({ id: z.string().min(1), resource: z.string().nullish(), notificationUrl: z.string().nullish() }),
  ),
  '@odata.nextLink': z.string().nullish(),
});

/** Returns the calendar in a resource of ours; the resource itself if it is of another kind. */
function calendarOf(resource: string | null | undefined): string {
  const id = /calendars\/([^/]+)\/events/i.exec(resource ?? '')?.[1];
  return id === undefined ? (resource ?? '') : decodeURIComponent(id);
}

/** Requested life of a subscription to events: a little less than the longest, 10,080 minutes, as clocks differ. */
const LONGEST_LIFE_MS = 10_070 * 60_000;
const LONGEST_CLIENT_STATE = 128;

/** Creates change notifications of Graph. Calendars cannot be watched, only their events. */
export function createPush(settings: MicrosoftSettings, graph: GraphClient): ProviderPush {
  const pathOf = (id: string): string => `subscriptions/${encodeURIComponent(id)}`;

  function expiryOf(wanted: number): string {
    return new Date(Math.min(wanted, settings.clock.now() + LONGEST_LIFE_MS)).toISOString();
  }

  function instantOf(expirationDateTime: string): number {
    const at = Date.parse(expirationDateTime);
    if (Number.isNaN(at)) throw new ProviderError('malformed', 'Graph gave an expiry that cannot be read');
    return at;
  }

  function post(session: ProviderSession, body: object): Promise<z.infer<typeof subscription>> {
    return graph.call(session, { method: 'POST', path: 'subscriptions', body }, subscription);
  }

  function close(session: ProviderSession, id: string): Promise<void> {
    return graph.command(session, { method: 'DELETE', path: pathOf(id) }).catch((error: unknown) => {
      if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
    });
  }

  /** Closes subscriptions to the same resource and address; returns whether there were any. */
  async function closeOwn(
    session: ProviderSession,
    body: { readonly resource: string; readonly notificationUrl: string },
  ): Promise<boolean> {
    let isClosed = false;
    for (let path: string | undefined = 'subscriptions'; path !== undefined; ) {
      const page: z.infer<typeof subscriptionPage> = await graph.call(
        session,
        { method: 'GET', path },
        subscriptionPage,
      );
      for (const { id, resource, notificationUrl } of page.value) {
        if (notificationUrl !== body.notificationUrl || calendarOf(resource) !== calendarOf(body.resource)) continue;
        await close(session, id);
        isClosed = true;
      }
      const link = page['@odata.nextLink'];
      path = link ? graph.pathOfLink(link) : undefined;
    }
    return isClosed;
  }

  return {
    async open(session, { token, address, resource, expiresAt }) {
      if (resource.kind === 'calendars') {
        throw new ProviderError('push-unsupported', 'Graph does not watch the list of calendars');
      }
      if (token.length > LONGEST_CLIENT_STATE) {
        throw new RangeError(`token: must be at most ${LONGEST_CLIENT_STATE} characters`);
      }
      const body = {
        changeType: 'created,updated,deleted',
        resource: `/me/calendars/${encodeURIComponent(resource.calendarId)}/events`,
        notificationUrl: address,
        // It cannot be added later.
        lifecycleNotificationUrl: address,
        clientState: token,
        expirationDateTime: expiryOf(expiresAt),
      };
      const created = await post(session, body).catch(async (error: unknown) => {
        const isDouble = ProviderError.isInstance(error) && error.reason === 'conflict';
        // A subscription of ours whose opening or closing lost its answer is in the way.
        if (!isDouble || !(await closeOwn(session, body))) throw openFailure(error);
        return post(session, body);
      });
      return {
        providerChannelId: created.id,
        resourceId: resource.calendarId,
        expiresAt: instantOf(created.expirationDateTime),
      };
    },

    async renew(session, { providerChannelId, expiresAt }) {
      const renewed = await graph.call(
        session,
        {
          method: 'PATCH',
          path: pathOf(providerChannelId),
          body: { expirationDateTime: expiryOf(expiresAt) },
        },
        subscription,
      );
      return {
        providerChannelId: renewed.id,
        resourceId: calendarOf(renewed.resource),
        expiresAt: instantOf(renewed.expirationDateTime),
      };
    },

    close: (session, { providerChannelId }) => close(session, providerChannelId),

    receive: receiveNotifications,
  };
}

/** Maps a refusal: a calendar that cannot be watched is polled; an address that did not answer in time may do so later. */
function openFailure(error: unknown): unknown {
  if (!(error instanceof GraphFailure)) return error;
  if (error.reason === 'forbidden') {
    return new ProviderError('push-unsupported', 'Graph does not watch this calendar', {
      ...(error.status === undefined ? {} : { status: error.status }),
      cause: error,
    });
  }
  const isHandshake = error.status === 400 && /validat/i.test(`${error.code} ${error.detail}`);
  if (!isHandshake) return error;
  // A refusal, not an outage: the calendar is polled meanwhile, and the channel's upkeep tries push again.
  return new ProviderError('push-unsupported', 'Graph could not validate the notification address', {
    status: 400,
    cause: error,
  });
}
