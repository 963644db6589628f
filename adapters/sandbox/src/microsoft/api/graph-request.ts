import type { MicrosoftWorld, StoredMailbox } from '../state.ts';
import { zoneOf } from '../times.ts';
import { GraphError, invalidRequest } from './graph-error.ts';

/** Preferences of the Prefer header. */
export interface Preferences {
  /** Zone of times in answers, as the client spelled it. @default UTC */
  readonly timeZone: string;
  readonly immutableIds: boolean;
  readonly textBodies: boolean;
  readonly maxPageSize: number | null;
}

/** An authenticated request of one mailbox. */
export interface GraphRequest {
  readonly world: MicrosoftWorld;
  /** Absolute URL of the server's root, without a slash at its end. */
  readonly root: string;
  readonly mailbox: StoredMailbox;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly method: string;
  /** Path below `/v1.0/`, as it came. */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  readonly prefer: Preferences;
  readonly ifMatch: string | null;
  /** The parsed body; undefined when empty. */
  readonly body: unknown;
}

/**
 * Reads the Prefer header.
 * @throws GraphError 400 TimeZoneNotSupportedException
 */
export function readPreferences(header: string | null): Preferences {
  const text = header ?? '';
  const timeZone = /outlook\.timezone\s*=\s*"?([^",;]*)"?/i.exec(text)?.[1] ?? 'UTC';
  zoneOf(timeZone);
  const size = /odata\.maxpagesize\s*=\s*"?(\d+)/i.exec(text)?.[1];
  return {
    timeZone,
    immutableIds: /IdType\s*=\s*"?ImmutableId"?/i.test(text),
    textBodies: /outlook\.body-content-type\s*=\s*"?text"?/i.test(text),
    maxPageSize: size === undefined ? null : Number(size),
  };
}

/** @throws GraphError 400 for a body that is not JSON */
export async function readBody(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new GraphError(400, 'BadRequest', 'Unable to read JSON request payload. Please ensure Content-Type header.');
  }
}

/** Creates a successful answer, which names the applied preferences as Graph does. */
export function jsonAnswer(graph: GraphRequest, body: unknown, status = 200): Response {
  const headers: Record<string, string> = {
    'content-type': 'application/json; odata.metadata=minimal; odata.streaming=true; charset=utf-8',
  };
  if (graph.prefer.timeZone !== 'UTC') {
    headers['preference-applied'] = `outlook.timezone="${graph.prefer.timeZone}"`;
  }
  return new Response(JSON.stringify(body), { status, headers });
}

export const emptyAnswer = (status: number): Response => new Response(null, { status });

/** Reads a non-negative whole number of the query, or null. @throws GraphError 400 */
export function readCount(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^\d{1,9}$/.test(text))
    throw invalidRequest(`Invalid value '${text}' for $${name.slice(1)} query option found.`);
  return Number(text);
}
