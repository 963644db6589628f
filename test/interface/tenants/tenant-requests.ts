import type { Dice } from '../../simulation/dice.ts';
import { type DocumentedOperation, filledPath } from '../documents/operations.ts';
import { sampleOf } from '../documents/sample.ts';
import type { SentRequest } from './tenant-world.ts';

/** Names that end like ids and name nothing of a tenant's: the caller's own, the provider's, or read-only ones. */
const NO_IDS = ['externalId', 'clientId', 'colorId', 'recurringEventId', 'actorId', 'applicationId'];

/** Texts that are right for the fields of bodies. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  email: ['own@people.example'],
  providerType: ['PROVIDER_A'],
  refreshToken: ['refresh'],
  startDateTime: ['2026-03-01T00:00:00Z'],
  endDateTime: ['2026-04-01T00:00:00Z'],
  dateTime: ['2026-03-02T09:00:00Z'],
  timeZone: ['UTC'],
  webhookUrl: ['http://127.0.0.1:49999/hook'],
  since: ['2026-03-01T00:00:00Z'],
  redirectUrls: ['https://a.test/done'],
  url: ['https://a.test/done'],
  expiresAt: ['90d'],
};
const REQUIRED_QUERY = ['startDateTime', 'endDateTime'];

/** A place of an id or a token in the requests of an operation. */
export interface Position {
  readonly place: 'path' | 'query' | 'body';
  readonly name: string;
}

/** Returns the positions of ids and tokens. */
export function positionsOf({ inPath, inQuery, bodySchema }: DocumentedOperation): readonly Position[] {
  const isId = (name: string) => /(Ids?|Token)$/.test(name) && name !== 'refreshToken' && !NO_IDS.includes(name);
  return [
    ...inPath.filter((name) => name !== 'provider').map((name) => ({ place: 'path' as const, name })),
    ...inQuery.filter(isId).map((name) => ({ place: 'query' as const, name })),
    ...Object.keys(bodySchema?.properties ?? {})
      .filter(isId)
      .map((name) => ({ place: 'body' as const, name })),
  ];
}

/** Returns a request of an operation that is right with these ids; `at` is the only position of query and body that is sent. */
export function requestOf(
  operation: DocumentedOperation,
  idOf: (position: Position) => string,
  at: Position | undefined,
  { headers, dice }: { readonly headers: Readonly<Record<string, string>>; readonly dice: Dice },
): SentRequest {
  const { method, bodySchema, inQuery, takesFile } = operation;
  const path = filledPath(operation.path, (name) => idOf({ place: 'path', name }));
  const query = new URLSearchParams();
  for (const name of inQuery.filter((each) => REQUIRED_QUERY.includes(each) && each !== at?.name)) {
    query.set(name, TEXTS[name]?.[0] ?? '');
  }
  // A token remembers the rest of the query.
  if (at?.place === 'query') query.set(at.name, idOf(at));
  const body =
    bodySchema === undefined
      ? undefined
      : sampleOf({ ...bodySchema, properties: needed(bodySchema, at) }, '', dice, TEXTS);
  if (at?.place === 'body') withId(body, at.name, idOf(at));
  for (const name of ['calendarId', 'calendarIds', 'messageId'].filter((each) => each !== at?.name)) {
    if (typeof body === 'object' && body !== null && name in body) withId(body, name, idOf({ place: 'body', name }));
  }
  return {
    method,
    path: query.size === 0 ? path : `${path}?${query}`,
    headers: takesFile ? { ...headers, 'content-type': 'text/calendar' } : headers,
    body: takesFile ? EMPTY_FILE : at?.place === 'query' && method === 'DELETE' ? undefined : body,
  };
}

const EMPTY_FILE = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n';

function needed(schema: DocumentedOperation['bodySchema'], at: Position | undefined): object {
  const names = new Set<string>([...(schema.required ?? []), at?.place === 'body' ? at.name : '']);
  return Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => names.has(name)));
}

function withId(body: unknown, name: string, id: string): void {
  Object.assign(body as object, { [name]: name.endsWith('s') ? [id] : id });
}

/** Returns an id of the same form that nothing has. */
export function neverExisting(name: string, id: string): string {
  if (/Token$/.test(name)) return `${id.slice(0, -4)}AAAA`;
  // Of every alphabet in use, so that it stays in form.
  return id.replace(/[a-z](?=[^a-z]*$)/i, (letter) => (letter === 'x' ? 'y' : 'x')).replace(/(?<=_)\w{4}/, 'zzzz');
}

/** Replaces the ids in an answer's body, and leaves the request's id out. */
export function withoutIds(body: unknown, ids: Iterable<string>): unknown {
  let text = JSON.stringify(body, (name, value) => (name === 'requestId' ? undefined : value)) ?? '';
  for (const id of ids) text = text.replaceAll(JSON.stringify(id).slice(1, -1), '(id)');
  return text;
}
