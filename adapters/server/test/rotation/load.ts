import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import { namedWait } from './named-wait.ts';

/** A request without an answer for this long is a failure, which names its round. */
const LONGEST_ANSWER_MS = 60_000;

/** The secrets that clients and receivers have; the cases change them. */
export interface ClientSide {
  apiKey: string;
  adminToken: string;
  metricsToken: string;
  /** Secret that the receiver verifies with. */
  endpointSecret: string;
}

/** An account of the load. */
export interface LoadedAccount {
  readonly accountId: string;
  readonly calendarId: string;
  readonly email: string;
  readonly refreshToken: string;
}

/** Reads, writes and deliveries without a pause, shared out over the processes that serve. */
export interface Load {
  /** Addresses of the processes that get requests. */
  urls: readonly string[];
  /** Each answer that is no success, and each message whose signature is wrong. */
  readonly failures: readonly string[];
  readonly requests: number;
  /** Resolves when so many more rounds and deliveries have been completed, all begun after the call. */
  more(rounds: number): Promise<void>;
  /** Ends the load; resolves when every message about a change has been delivered. */
  end(): Promise<void>;
}

/** A server that webhooks point to. It verifies each message. */
export async function openVerifier(client: Pick<ClientSide, 'endpointSecret'>) {
  const failures: string[] = [];
  const externalIds = new Set<string>();
  let deliveries = 0;
  let noticed = () => {};
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    try {
      // A message counts before it is verified: it is answered with success, so it is not sent again.
      externalIds.add((JSON.parse(body) as { readonly data: { readonly externalId: string } }).data.externalId);
      new Webhook(client.endpointSecret).verify(body, request.headers as Record<string, string>);
    } catch (error) {
      failures.push(`message ${body}: ${String(error)}`);
    }
    deliveries += 1;
    response.writeHead(204).end();
    noticed();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    failures,
    externalIds,
    get deliveries() {
      return deliveries;
    },
    /** Resolves after the next delivery. */
    next: () =>
      new Promise<void>((resolve) => {
        noticed = resolve;
      }),
  };
}

type Verifier = Awaited<ReturnType<typeof openVerifier>>;

/** Starts the load: two lines of rounds, each of which plays every kind of request once. */
export function startLoad(client: ClientSide, accounts: readonly LoadedAccount[], verifier: Verifier): Load {
  const failures: string[] = [];
  const announced = new Set<string>();
  let [rounds, requests, isOver] = [0, 0, false];
  let noticed = () => {};

  const load = { urls: [] as readonly string[] };
  const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    requests += 1;
    const url = load.urls[requests % load.urls.length] ?? '';
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
      ...init,
    });
    const text = await answer.text();
    // Ends the round: no message may be awaited about a request that was refused or never sent.
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  };

  const syncTokens = new Map<string, string>();
  const playRound = async (index: number) => {
    const { accountId, calendarId, email, refreshToken } = accounts[index % accounts.length] ?? accounts[0]!;
    const key = { 'x-api-key': client.apiKey };
    const events = `/api/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    await send('GET', `/api/v1/calendars/${accountId}`, key);
    await send('GET', `/api/v1/endUserAccounts/${accountId}/credentials`, key);
    const start = { dateTime: '2027-03-01T09:00:00Z' };
    await send('POST', events, key, { title: `Round ${index}`, start, end: { dateTime: '2027-03-01T10:00:00Z' } });
    const token = syncTokens.get(accountId);
    const page = await send('GET', token === undefined ? events : `${events}?syncToken=${token}`, key);
    const { nextSyncToken } = JSON.parse(page) as { readonly nextSyncToken?: string };
    if (nextSyncToken !== undefined) syncTokens.set(accountId, nextSyncToken);
    // Proves a refresh token under the OAuth client's secret, seals new credentials, and sends a message.
    const externalId = `round-${index}`;
    await send('POST', '/api/v1/endUserAccounts', key, { email, providerType: 'PROVIDER_A', refreshToken, externalId });
    announced.add(externalId);
    await send('GET', '/api/admin/v1/applications', { authorization: `Bearer ${client.adminToken}` });
    await send('GET', '/metrics', { authorization: `Bearer ${client.metricsToken}` });
  };

  const playLine = async (first: number) => {
    for (let index = first; !isOver; index += 2) {
      await playRound(index).catch((error) => {
        failures.push(`round ${index}: ${String(error)}${error.cause === undefined ? '' : ` (${error.cause})`}`);
      });
      rounds += 1;
      noticed();
    }
  };
  let lines: Promise<unknown> | undefined;
  const nextRound = () =>
    new Promise<void>((resolve) => {
      noticed = resolve;
    });

  return {
    get urls() {
      return load.urls;
    },
    set urls(urls) {
      load.urls = urls;
      lines ??= Promise.all([playLine(0), playLine(1)]);
    },
    get failures() {
      return [...failures, ...verifier.failures];
    },
    get requests() {
      return requests;
    },
    async more(count) {
      // The rounds under way began before.
      const [enoughRounds, enoughDeliveries] = [rounds + count + 2, verifier.deliveries + count];
      while (rounds < enoughRounds) await namedWait(nextRound(), () => 'the end of a round');
      while (verifier.deliveries < enoughDeliveries) await namedWait(verifier.next(), () => 'any message');
    },
    async end() {
      isOver = true;
      await namedWait(Promise.resolve(lines), () => 'the last rounds');
      const missing = () => [...announced].filter((externalId) => !verifier.externalIds.has(externalId));
      while (missing().length > 0) await namedWait(verifier.next(), () => `messages of ${missing().join(', ')}`);
    },
  };
}
