import type { PushNotification } from 'kalends/ports';
import { z } from 'zod';

const notification = z.object({
  subscriptionId: z.string().min(1),
  clientState: z.string().nullish(),
  lifecycleEvent: z.string().nullish(),
  resource: z.string().nullish(),
  resourceData: z.object({ id: z.string().nullish() }).nullish(),
});

const collection = z.object({ value: z.array(notification) });

/** A validation token is echoed in full; a longer text than Graph would send is not. */
const MAX_TOKEN_LENGTH = 2048;
const MAX_BODY_LENGTH = 1_000_000;

/** What a request to the notification address asks for and brings. */
interface ReceivedNotifications {
  readonly response: Response;
  readonly notifications: readonly PushNotification[];
}

/**
 * Reads a request of Graph to our address. A new address is validated by echoing a token; notifications and lifecycle
 * events are taken note of and answered 202 at once.
 * @see https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 */
export async function receiveNotifications(request: Request): Promise<ReceivedNotifications> {
  if (request.method !== 'POST') return { response: answer(405), notifications: [] };
  const token = new URL(request.url).searchParams.get('validationToken');
  if (token !== null) return { response: echo(token), notifications: [] };
  const parsed = collection.safeParse(await readBody(request));
  if (!parsed.success) return { response: answer(400), notifications: [] };
  return { response: answer(202), notifications: parsed.data.value.map(readNotification) };
}

function echo(token: string): Response {
  if (token.length > MAX_TOKEN_LENGTH) return answer(400);
  // As text that no browser takes for a page: anybody may send us a token.
  return new Response(token, {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  });
}

const answer = (status: number): Response => new Response(null, { status });

async function readBody(request: Request): Promise<unknown> {
  try {
    const text = await request.text();
    return text.length > MAX_BODY_LENGTH ? undefined : JSON.parse(text);
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
    providerEventIds: id && !item.lifecycleEvent ? [id] : [],
  };
}

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
    // `missed`, and whatever may be added: something was not told, so look.
    default:
      return 'missed';
  }
}
