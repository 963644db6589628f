import { ProviderError, type ProviderPush, type ProviderSession } from 'kalends/ports';
import { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';
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

/** Names the account, whose subscriptions alone may give way: Graph lists those of other accounts of the mailbox beside them. */
function addressOf({ accountId }: ProviderSession, address: string): string {
  const url = new URL(address);
  url.searchParams.set('account', accountId);
  return url.href;
}

/** Requested life of a subscription to events: a little less than the longest, 10,080 minutes, as clocks differ. */
const LONGEST_LIFE_MS = 10_070 * 60_000;
const LONGEST_CLIENT_STATE = 128;

/** The calendar list as a resource. */
const CALENDAR_LIST = '/me/calendars';

/** Creates change notifications of Graph. */
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

  /** Sends a subscription or its renewal; older clouds allow shorter lives only, and say which. */
  async function send(
    session: ProviderSession,
    request: Pick<GraphRequest, 'method' | 'path'>,
    body: { readonly expirationDateTime: string },
  ): Promise<z.infer<typeof subscription>> {
    try {
      return await graph.call(session, { ...request, body }, subscription);
    } catch (error) {
      const lifeMs = longestLifeOf(error);
      if (lifeMs === undefined) throw error;
      const expirationDateTime = expiryOf(settings.clock.now() + lifeMs);
      return graph.call(session, { ...request, body: { ...body, expirationDateTime } }, subscription);
    }
  }

  function close(session: ProviderSession, id: string): Promise<void> {
    return graph.command(session, { method: 'DELETE', path: pathOf(id) }).catch((error: unknown) => {
      if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
    });
  }

  /** Closes the account's subscriptions to the same resource; returns whether there were any. */
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
      if (token.length > LONGEST_CLIENT_STATE) {
        throw new RangeError(`token: must be at most ${LONGEST_CLIENT_STATE} characters`);
      }
      const notificationUrl = addressOf(session, address);
      const body = {
        // The list knows no `created`: a new calendar is reported as updated.
        changeType: resource.kind === 'calendars' ? 'updated,deleted' : 'created,updated,deleted',
        resource:
          resource.kind === 'calendars'
            ? CALENDAR_LIST
            : `${CALENDAR_LIST}/${encodeURIComponent(resource.calendarId)}/events`,
        notificationUrl,
        // It cannot be added later.
        lifecycleNotificationUrl: notificationUrl,
        clientState: token,
        expirationDateTime: expiryOf(expiresAt),
      };
      const post = () => send(session, { method: 'POST', path: 'subscriptions' }, body);
      const created = await post().catch(async (error: unknown) => {
        const isDouble = ProviderError.isInstance(error) && error.reason === 'conflict';
        // A subscription of this account whose opening or closing lost its answer is in the way.
        if (!isDouble || !(await closeOwn(session, body))) throw openFailure(error);
        return post().catch((again: unknown) => Promise.reject(openFailure(again)));
      });
      return {
        providerChannelId: created.id,
        resourceId: resource.kind === 'calendars' ? CALENDAR_LIST : resource.calendarId,
        expiresAt: instantOf(created.expirationDateTime),
      };
    },

    async renew(session, { providerChannelId, expiresAt }) {
      const request = { method: 'PATCH', path: pathOf(providerChannelId) } as const;
      const renewed = await send(session, request, { expirationDateTime: expiryOf(expiresAt) });
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

/** Returns the longest life that an answer allows, less a minute for clocks that differ; undefined for any other failure. */
function longestLifeOf(error: unknown): number | undefined {
  if (!(error instanceof GraphFailure) || error.status !== 400) return undefined;
  const minutes = /expiration can only be (\d{2,5}) minutes/i.exec(error.detail)?.[1];
  return minutes === undefined ? undefined : (Number(minutes) - 1) * 60_000;
}

/** Maps a failure that is Graph's: the calendar is polled meanwhile, and the channel's upkeep tries push again. */
function openFailure(error: unknown): unknown {
  if (!(error instanceof GraphFailure)) return error;
  const why = whyNotPushed(error);
  if (why === undefined) return error;
  return new ProviderError('push-unsupported', why, {
    ...(error.status === undefined ? {} : { status: error.status }),
    cause: error,
  });
}

function whyNotPushed({ reason, status, code, detail }: GraphFailure): string | undefined {
  if (reason === 'forbidden') return 'Graph does not watch this';
  if (status === 400 && /validat/i.test(`${code} ${detail}`))
    return 'Graph could not validate the notification address';
  // A service behind Graph fails, for hours or for good: 404 ExtensionError, 503 of the backend "Unknown".
  const isOfBackend = code === 'ExtensionError' || /backend 'Unknown'/i.test(detail);
  return isOfBackend ? 'Graph cannot create a subscription here at present' : undefined;
}
