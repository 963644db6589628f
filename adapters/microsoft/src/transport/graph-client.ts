import { createProviderTransport, type Effect, type ProviderRequest } from '@kalends/provider-transport';
import type { ProviderSession } from 'kalends/ports';
import type { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import { readFailure } from './graph-failure.ts';
import { absoluteUrl, relativeLink } from './graph-link.ts';

/** One call of Graph. */
export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the root, without a leading slash; ids in it are encoded. May be a stored link with its query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Preferences beside immutable ids, which every call asks for. */
  readonly prefer?: readonly string[];
  readonly ifMatch?: string | undefined;
  /** @default none for GET, twice for POST and with `ifMatch`, else same */
  readonly effect?: Effect;
}

/** Graph on behalf of accounts. */
export interface GraphClient {
  /** Sends a call and resolves with its answer, checked. @throws ProviderError */
  call<T>(session: ProviderSession, request: GraphRequest, schema: z.ZodType<T>): Promise<T>;
  /** Sends a call whose answer has no body of interest. @throws ProviderError */
  command(session: ProviderSession, request: GraphRequest): Promise<void>;
  /** Returns a link of an answer as a path for another call. @throws ProviderError malformed when it leads elsewhere */
  pathOfLink(link: string): string;
}

export function createGraphClient(settings: MicrosoftSettings): GraphClient {
  const transport = createProviderTransport({ settings, readFailure });
  const addressed = ({ path, query, prefer = [], ...request }: GraphRequest): ProviderRequest => ({
    ...request,
    url: urlOf(settings.graphUrl, path, query),
    headers: { prefer: ['IdType="ImmutableId"', ...prefer].join(', ') },
  });
  return {
    // Async, so that a link that leads elsewhere rejects.
    call: async (session, request, schema) => transport.call(session, addressed(request), schema),
    command: async (session, request) => transport.send(session, addressed(request)),
    pathOfLink: (link) => relativeLink(settings.graphUrl, link),
  };
}

function urlOf(graphUrl: string, path: string, query: GraphRequest['query'] = {}): string {
  const search = Object.entries(query)
    // OData keywords keep their dollar sign; a space must not become a plus sign, which OData reads as one.
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return absoluteUrl(graphUrl, search === '' ? path : `${path}?${search}`);
}
