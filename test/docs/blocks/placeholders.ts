import { createServer, type Server } from 'node:http';
import { createClient } from '@kalends/client';
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import type { Sandbox } from '@kalends/sandbox';
import type { SqlStorageOptions } from '@kalends/sql';
import { sqlite } from '@kalends/sqlite';
import express, { type Express } from 'express';
import type { Caller, Engine, EngineOptions } from 'kalends';
import type { CalendarEvent } from 'kalends/model';
import type { CalendarRef, Provider, ProviderSession, Storage } from 'kalends/ports';
import { Webhook } from 'standardwebhooks';
import { createWorld } from '../../interface/world.ts';

/** Names that a block takes for granted, and that are there when it runs. */
export interface Values {
  readonly engine: Engine;
  readonly sandbox: Sandbox;
  readonly caller: Caller;
  readonly application: { readonly id: string };
  readonly applicationId: string;
  readonly accountId: string;
  readonly email: string;
  readonly refreshToken: string;
  readonly calendarId: string;
  readonly calendarIds: string[];
  readonly eventId: string;
  readonly event: CalendarEvent;
  /** An event of another account, with an invitation of this one. */
  readonly invitation: CalendarEvent;
  readonly client: ReturnType<typeof createClient>;
  readonly baseUrl: string;
  readonly publicUrl: string;
  readonly url: string;
  readonly apiKey: string;
  readonly key: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly startDateTime: string;
  readonly endDateTime: string;
  readonly dateTime: string;
  readonly timeZone: string;
  readonly webhookUrl: string;
  /** Address of a Vault that no block calls. */
  readonly address: string;
  readonly endpointSecret: string;
  readonly rawBody: string;
  readonly request: Request;
  readonly storage: Storage;
  readonly providers: EngineOptions['providers'];
  readonly secret: string;
  readonly app: Express;
  readonly server: Server;
  readonly userOfSession: (cookie: string | null) => Promise<{ isOperator: boolean; email: string } | undefined>;
}

/** Names of things that the reader has yet to write: a block that needs one is compiled, and not run. */
export interface Imagined {
  readonly mine: (options: { readonly baseUrl: string }) => Provider;
  readonly session: ProviderSession;
  readonly otherSession: ProviderSession;
  readonly calendar: CalendarRef;
  readonly otherCalendar: CalendarRef;
  readonly myStorage: (options: { readonly database: object; readonly clock: object }) => Storage;
  readonly emptyDatabase: () => Promise<object>;
  readonly databaseOf: (storage: Storage) => object;
  readonly database: SqlStorageOptions['database'];
  readonly reader: SqlStorageOptions['database'];
  readonly dialect: SqlStorageOptions['dialect'];
}

export type Placeholders = Values & Imagined;

/** Names of the type above, which exists for the compiler alone. */
export const IMAGINED = [
  'mine',
  'session',
  'otherSession',
  'calendar',
  'otherCalendar',
  'myStorage',
  'emptyDatabase',
  'databaseOf',
  'database',
  'reader',
  'dialect',
] as const satisfies readonly (keyof Imagined)[];

const SERVICE = 'https://calendar.example.com/api';
const SECRET = Buffer.alloc(32, 7).toString('base64');

/** Creates the values in a world of its own: an account at the sandbox, with an invitation. */
export async function createValues(): Promise<{
  readonly values: Values;
  /** Answers calls of the service, and none of other hosts. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
}> {
  const world = await createWorld();
  const { engine, sandbox, applicationId, apiKey, handler } = world;
  const { accountId, email, calendarId } = await world.connect('google');
  const host = await world.connect('google');
  const caller = { applicationId };
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Rome' };
  const body = { title: 'Planning', start };
  const invited = { ...body, attendees: [{ email }] };
  const event = await engine.events.create(caller, accountId, calendarId, body);
  const { id } = await engine.events.create(caller, host.accountId, host.calendarId, invited);
  // Has the same id at Google; an unknown id is pulled before the answer.
  const invitation = await engine.events.get(caller, accountId, calendarId, id);
  sandbox.google.addMailbox({ email: 'ada@gmail.example', name: 'Ada', timeZone: 'Europe/London' });

  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const asked = new Request(input, init);
    if (!asked.url.startsWith(`${SERVICE}/`)) throw new TypeError(`a block asks for ${asked.url}`);
    return handler(new Request(asked.url.replace(SERVICE, 'http://kalends.test'), asked));
  };
  const { endpointSecret } = await engine.webhookEndpoints.create(caller, { webhookUrl: 'http://127.0.0.1:8088/hook' });
  const rawBody = JSON.stringify({ eventType: 'calendar.event.changed', timestamp: '2026-03-02T09:00:00.000Z' });
  const sentAt = new Date();
  const headers = {
    'hook-id': 'msg_1',
    'hook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'hook-signature': new Webhook(endpointSecret).sign('msg_1', sentAt, rawBody),
  };
  const values: Values = {
    engine,
    sandbox,
    caller,
    application: { id: applicationId },
    applicationId,
    accountId,
    email,
    refreshToken: world.refreshToken('google', email),
    calendarId,
    calendarIds: [calendarId],
    eventId: event.id,
    event,
    invitation,
    client: createClient({ baseUrl: SERVICE, apiKey, fetch }),
    baseUrl: SERVICE,
    publicUrl: SERVICE,
    url: 'http://127.0.0.1:4040',
    apiKey,
    key: apiKey,
    clientId: 'client',
    clientSecret: 'client-secret',
    startDateTime: '2026-03-01T00:00:00Z',
    endDateTime: '2026-03-08T00:00:00Z',
    ...start,
    address: 'https://vault.example.com:8200',
    webhookUrl: 'http://127.0.0.1:8088/hook',
    endpointSecret,
    rawBody,
    request: new Request('https://app.example.com/hook', { method: 'POST', headers, body: rawBody }),
    storage: sqlite({ path: ':memory:' }),
    providers: { PROVIDER_A: google(), PROVIDER_B: microsoft() },
    secret: SECRET,
    app: express(),
    server: createServer(),
    userOfSession: async () => undefined,
  };
  return { values, fetch, close: world.close };
}
