import { createKernel, type KernelParts } from '../../src/kernel/create-kernel.ts';
import type { ProviderSandbox } from '../../src/kernel/kernel.ts';
import { createMicrosoftSandbox } from '../../src/microsoft/microsoft-sandbox.ts';

export const ROOT = 'http://sandbox.test/microsoft';
export const START = Date.UTC(2026, 0, 5, 12);
export const CLIENT = { clientId: 'app-1', clientSecret: 'secret-1', redirectUris: ['http://app.test/callback'] };

/** A JSON object of an answer, loosely typed: tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: wire JSON under test
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Harness {
  readonly kernel: KernelParts;
  readonly server: ProviderSandbox;
  /** Requests to the watching application: handshakes and notifications. */
  readonly received: { readonly url: URL; readonly body: Json }[];
  /** How the watching application answers a handshake; echoes by default. */
  handshake: (token: string) => Response;
  raw(path: string, init?: RequestInit): Promise<Response>;
  token(form: Readonly<Record<string, string>>): Promise<Answer>;
  person(email: string): Promise<Person>;
  control(name: string, input?: Readonly<Record<string, unknown>>): Json;
}

/** One person's authorised view of the server. */
export interface Person {
  readonly email: string;
  readonly accessToken: string;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** GET that must succeed; the body. */
  read(path: string, headers?: Readonly<Record<string, string>>): Promise<Json>;
  /** Every page of a list or delta round, from a path or an absolute link. */
  all(path: string, headers?: Readonly<Record<string, string>>): Promise<{ items: Json[]; last: Json; pages: number }>;
  /** POSTs an event to the default calendar; the answer's body. */
  create(event: Json, headers?: Readonly<Record<string, string>>): Promise<Json>;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A server with three mailboxes on a hand-turned clock; the chance oddities are off unless asked for. */
export function createHarness(options: { readonly odd?: boolean } = {}): Harness {
  const received: { url: URL; body: Json }[] = [];
  const application = (async (input: URL | string | Request, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const text = typeof init?.body === 'string' ? init.body : '';
    received.push({ url, body: text === '' ? null : JSON.parse(text) });
    const token = url.searchParams.get('validationToken');
    return token === null ? new Response(null, { status: 202 }) : harness.handshake(token);
  }) as typeof fetch;
  // One turn of the event loop: requests under a concurrency limit overlap.
  const time = { now: () => START, wait: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  const kernel = createKernel({ time, clock: { now: () => START }, seed: 7, fetch: application });
  kernel.clock.freeze(START);
  const server = createMicrosoftSandbox(kernel, { fetch: application });
  for (const [email, name, timeZone] of [
    ['ada@contoso.test', 'Ada', 'America/New_York'],
    ['ben@contoso.test', 'Ben', 'Europe/Berlin'],
    ['cleo@fabrikam.test', 'Cleo', 'Asia/Tokyo'],
  ] as const) {
    server.addMailbox({ email, name, timeZone });
  }
  server.addClient(CLIENT);
  const raw = (path: string, init?: RequestInit): Promise<Response> =>
    server.fetch(
      new Request(path.startsWith(ROOT) ? `http://x${path.slice(ROOT.length)}` : `http://x${path}`, init),
      ROOT,
    );
  const harness: Harness = {
    kernel,
    server,
    received,
    handshake: (token) => new Response(token, { headers: { 'content-type': 'text/plain' } }),
    raw,
    async token(form) {
      return answerOf(await raw('/common/oauth2/v2.0/token', { method: 'POST', body: new URLSearchParams(form) }));
    },
    async person(email) {
      const refreshToken = server.issueRefreshToken({ email, clientId: CLIENT.clientId });
      const { body } = await harness.token({
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      return createPerson(raw, email, body.access_token);
    },
    control: (name, input = {}) => server.controls[name]!(input),
  };
  if (!options.odd) {
    harness.control('setExtraChangeKeys', { share: 0 });
    harness.control('setDeltaUnreliability', {
      missedOccurrenceDeletions: 0,
      repeatedDeltaEntities: 0,
      omittedDeltaMasters: 0,
    });
  }
  return harness;
}

export function createPerson(raw: Harness['raw'], email: string, accessToken: string): Person {
  const person: Person = {
    email,
    accessToken,
    async call(method, path, body, headers = {}) {
      const response = await raw(path.startsWith('http') ? path : `/v1.0${path}`, {
        method,
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return answerOf(response);
    },
    get: (path, headers) => person.call('GET', path, undefined, headers),
    async read(path, headers) {
      const answer = await person.get(path, headers);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async all(path, headers) {
      let last = await person.read(path, headers);
      const items: Json[] = [...last.value];
      let pages = 1;
      for (; last['@odata.nextLink']; pages += 1) {
        last = await person.read(last['@odata.nextLink'], headers);
        items.push(...last.value);
      }
      return { items, last, pages };
    },
    async create(event, headers) {
      const answer = await person.call('POST', '/me/events', event, headers);
      if (answer.status !== 201) throw new Error(`create: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
  return person;
}

/** A timed event of one hour. */
export function timed(subject: string, dateTime: string, timeZone = 'UTC', more: Json = {}): Json {
  const end = new Date(Date.parse(`${dateTime}Z`) + 3_600_000).toISOString().slice(0, 19);
  return { subject, start: { dateTime, timeZone }, end: { dateTime: end, timeZone }, ...more };
}
