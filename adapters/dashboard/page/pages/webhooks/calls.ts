import type { Receiver } from 'kalends/model';
import type { Call } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';

/** A page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken: string | null;
}

export const receiversCall = (): Call => ({ path: ofApplication('/receivers'), query: { limit: 250 } });

/** Returns the call of a receiver in the administration: its log, or what can be done with it. */
export const receiverPath = (id: string, rest: string): string =>
  ofApplication(`/receivers/${encodeURIComponent(id)}/${rest}`);

export const deliveriesCall = (id: string, limit: number): Call => ({
  path: receiverPath(id, 'deliveries'),
  query: { limit },
});

/** Returns the path of a receiver in the interface of the application. */
export function ownPath({ id, kind, endUserAccountId }: Receiver): string {
  return kind === 'endpoint'
    ? `/v1/webhookEndpoints/${encodeURIComponent(id)}`
    : `/v1/calendarSubscriptions/${encodeURIComponent(endUserAccountId ?? '')}/${encodeURIComponent(id)}`;
}

export function removalOf(receiver: Receiver): Call {
  if (receiver.kind === 'endpoint') return { method: 'DELETE', path: ownPath(receiver) };
  const path = `/v1/calendarSubscriptions/${encodeURIComponent(receiver.endUserAccountId ?? '')}`;
  return { method: 'DELETE', path, body: { subscriptionId: receiver.id } };
}
