import { type PushNotification, readJson } from 'kalends/ports';
import { z } from 'zod';

const notification = z.object({
  subscriptionId: z.string().min(1),
  changeType: z.string().nullish(),
  clientState: z.string().nullish(),
  lifecycleEvent: z.string().nullish(),
  resource: z.string().nullish(),
  resourceData: z.object({ id: z.string().nullish() }).nullish(),
});

/** Far more than one request of Graph has. */
const MAX_NOTIFICATIONS = 1_000;

const collection = z.object({ value: z.array(notification).max(MAX_NOTIFICATIONS) });

/** Longest validation token that is echoed; longer than any of Graph's. */
const MAX_TOKEN_LENGTH = 2048;
const MAX_BODY_BYTES = 262_144;

/** Content of a request to the notification address. */
interface ReceivedNotifications {
  readonly response: Response;
  readonly notifications: readonly PushNotification[];
}

/**
 * Reads a request of Graph to our address. A new address is validated by echoing a token; notifications and lifecycle
 * events are answered 202 at once.
 * @see https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 */
export async function receiveNotifications(request: Request): Promise<ReceivedNotifications> {
  if (request.method !== 'POST') return { response: answer(405), notifications: [] };
  const token = new URL(request.url).searchParams.get('validationToken');
  if (token !== null) return { response: echo(token), notifications: [] };
  const text = await readText(request);
  if (text === undefined) return { response: answer(413), notifications: [] };
  const parsed = collection.safeParse(parseJson(text));
  if (!parsed.success) return { response: answer(400), notifications: [] };
  return { response: answer(202), notifications: parsed.data.value.map(readNotification) };
}

function echo(token: string): Response {
  if (token.length > MAX_TOKEN_LENGTH) return answer(400);
  // As plain text, which no browser renders: the endpoint is unauthenticated.
  return new Response(token, {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  });
}

const answer = (status: number): Response => new Response(null, { status });

/** Reads the body as text, empty when it breaks off; undefined as soon as it is too long, since any sender may send one. */
async function readText(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) return undefined;
  if (request.body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    // Leaving the loop cancels the stream.
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function readNotification(item: z.infer<typeof notification>): PushNotification {
  const id = item.resourceData?.id;
  return {
    providerChannelId: item.subscriptionId,
    token: item.clientState ?? undefined,
    kind: kindOf(item.lifecycleEvent),
    providerEventIds: id && !item.lifecycleEvent && !isOfList(item.resource) ? [id] : [],
    ...(item.changeType === 'deleted' ? { isDeletion: true } : {}),
  };
}

/** Tells whether a notification is about a calendar, not an event. */
const isOfList = (resource: string | null | undefined): boolean => /\/calendars\/[^/]+$/i.test(resource ?? '');

function kindOf(lifecycleEvent: string | null | undefined): PushNotification['kind'] {
  switch (lifecycleEvent) {
    case null:
    case undefined:
    case '':
      return 'changed';
    case 'subscriptionRemoved':
      return 'removed';
    case 'reauthorizationRequired':
      return 'reauthorization-required';
    // `missed`, and any later addition: changes were not reported, so pull.
    default:
      return 'missed';
  }
}
