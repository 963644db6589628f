import type { Client } from './client-address.ts';
import type { Access, Call } from './route.ts';

/** Notes on one request, filled in while it is answered. */
export interface RequestNotes {
  readonly requestId: string;
  /** Headers of every answer to the request, errors included. */
  readonly headers: Record<string, string>;
  readonly client: Client;
  /** Pattern of the route that answers. */
  route?: string;
  access?: Access;
  readonly verdict: Call['verdict'];
}
