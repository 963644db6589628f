import { POLL_INTERVAL_HEADER, SYNCED_AT_HEADER } from './age-headers.ts';
import { type Described, hasEtag } from './route.ts';

interface Header {
  readonly description: string;
  /** Whether every answer that is described with the header has it. */
  readonly required?: true;
  readonly schema: { readonly type: 'string' | 'integer'; readonly format?: 'date-time' };
}

const text = { type: 'string' } as const;
const seconds = { type: 'integer' } as const;

/** Headers of answers, as `components.headers` has them. */
const HEADERS = {
  'x-request-id': {
    description:
      'Id of the request: the one that was sent, if it has up to 128 letters, digits, `.`, `_` or `-`, else a new one.',
    required: true,
    schema: text,
  },
  'WWW-Authenticate': {
    description: 'The credentials that are wanted, where they are missing or wrong.',
    schema: text,
  },
  'Retry-After': { description: 'Seconds after which a repetition may succeed, where that is known.', schema: seconds },
  RateLimit: { description: 'What is left of the limit of the API key, where there is a limit.', schema: text },
  'RateLimit-Policy': { description: 'The limit of the API key, where there is one.', schema: text },
  ETag: {
    description: 'Quoted tag of this content, for If-None-Match; that of an event for If-Match of its writes too.',
    required: true,
    schema: text,
  },
  'Content-Disposition': { description: 'Names the file, for a browser that saves it.', required: true, schema: text },
  Location: { description: 'Where the browser goes next.', required: true, schema: text },
  'Set-Cookie': {
    description: 'Ties the flow to the browser, or ends that, where a flow begins or ends.',
    schema: text,
  },
  [SYNCED_AT_HEADER]: {
    description: 'Time at which the mirror last agreed with the provider.',
    required: true,
    schema: { type: 'string', format: 'date-time' },
  },
  [POLL_INTERVAL_HEADER]: {
    description: 'Longest time between two background polls in seconds, where the calendars are polled.',
    schema: seconds,
  },
} as const satisfies Readonly<Record<string, Header>>;

type HeaderName = keyof typeof HEADERS;

/** Statuses of errors that may say when a repetition makes sense. */
const RETRIED: readonly (number | 'default')[] = [409, 429, 503, 'default'];

/** Returns the headers of an answer of a route, each a reference to `components.headers`. */
export function answerHeaders(route: Described, status: number | 'default') {
  const isSuccess = typeof status === 'number' && status < 400;
  const isRedirect = status === 302 || status === 303;
  const isContent = isSuccess && !isRedirect;
  const names: readonly (readonly [boolean, ...HeaderName[]])[] = [
    [true, 'x-request-id'],
    [status === 401, 'WWW-Authenticate'],
    [RETRIED.includes(status), 'Retry-After'],
    // A key that is not known has no limit. Open routes take a key too.
    [route.access !== 'token' && status !== 401, 'RateLimit', 'RateLimit-Policy'],
    [isContent && hasEtag(route), 'ETag'],
    [isContent && route.tellsAge === true, SYNCED_AT_HEADER, POLL_INTERVAL_HEADER],
    [status === 200 && route.sendsFile === true, 'Content-Disposition'],
    [isRedirect, 'Location', 'Set-Cookie'],
  ];
  const sent = names.flatMap(([isSent, ...group]) => (isSent ? group : []));
  return Object.fromEntries(sent.map((name) => [name, { $ref: referenceTo(name) }]));
}

/** Returns those headers that the paths of a document refer to. */
export function headerComponents(paths: unknown): Readonly<Record<string, Header>> {
  const document = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => document.includes(`"${referenceTo(name)}"`)));
}

const referenceTo = (name: string) => `#/components/headers/${name}`;
