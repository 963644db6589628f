import { createProviderTransport, type Effect, type ProviderRequest } from '@kalends/provider-transport';
import type { ProviderSession } from 'kalends/ports';
import type { z } from 'zod';
import type { GoogleSettings } from '../options.ts';
import { readFailure } from './google-failure.ts';

/** One call of the Calendar API. */
export interface GoogleRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Unencoded path segments below the root. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  /** @default none for GET, twice for POST and with `ifMatch`, else same */
  readonly effect?: Effect;
}

/** The Calendar API on behalf of accounts. */
export interface GoogleClient {
  /** Sends a call and resolves with its answer, checked. @throws ProviderError */
  call<Answer>(session: ProviderSession, request: GoogleRequest, schema: z.ZodType<Answer>): Promise<Answer>;
  /** Sends a call whose answer has no body of interest. @throws ProviderError */
  send(session: ProviderSession, request: GoogleRequest): Promise<void>;
}

export function createGoogleClient(settings: GoogleSettings): GoogleClient {
  const transport = createProviderTransport({ settings, readFailure });
  const addressed = ({ path, query, ...request }: GoogleRequest): ProviderRequest => ({
    ...request,
    url: urlOf(settings.apiUrl, path, query),
  });
  return {
    call: (session, request, schema) => transport.call(session, addressed(request), schema),
    send: (session, request) => transport.send(session, addressed(request)),
  };
}

function urlOf(apiUrl: string, path: GoogleRequest['path'], query: GoogleRequest['query'] = {}): string {
  const url = new URL(`${apiUrl}/${path.map(encodeURIComponent).join('/')}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}
