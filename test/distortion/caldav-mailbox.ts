import { caldav } from '@kalends/caldav';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import type { EngineOptions } from 'kalends';
import type { Clock } from 'kalends/ports';
import { createWorld, type Json, type World } from '../interface/world.ts';
import type { Intercept } from '../regression/intercepted-world.ts';
import { makeSeries, series, singles } from './mailbox.ts';

const COPY_DAYS = 80;
const ROOT = 'http://sandbox.test/caldav';

/** A CalDAV mailbox of one account, with events of many shapes. */
export interface DavMailbox {
  readonly accountId: string;
  readonly calendarId: string;
  /** Decoded paths of the objects, with their texts as the server has them. */
  texts(): ReadonlyMap<string, string>;
  /** Writes an object as another program of the person does. */
  put(path: string, text: string): Promise<void>;
}

/** Creates a world that has CalDAV as its third provider; all of its requests to providers go through `intercept`. */
export async function createDavWorld(
  options: Partial<EngineOptions> & { readonly clock: Clock },
  intercept: Intercept,
): Promise<World> {
  let world: World | undefined;
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    return intercept(request, async () => world?.sandbox.fetch(request.clone()) ?? Response.error());
  };
  const wired = { fetch, clock: options.clock, limits: { callsPerInterval: Number.POSITIVE_INFINITY } };
  const providers = {
    PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), ...wired }),
    PROVIDER_B: microsoft({ ...microsoftEndpoints('http://sandbox.test/microsoft'), ...wired }),
    PROVIDER_C: caldav(wired),
  };
  world = await createWorld({ providers, ...options }, { clock: options.clock });
  return world;
}

/** Connects a mailbox and fills it, with so many copies of each single event, and with series, through the interface. */
export async function fillDavMailbox(
  world: World,
  copies: number,
  recurring: readonly object[] = series(),
): Promise<DavMailbox> {
  const { caldav: server } = world.sandbox;
  const email = 'person@caldav.example';
  server.addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
  const password = server.addAppPassword({ email });
  const credentials = { kind: 'password', serverUrl: `${ROOT}/`, username: email, password } as const;
  const { account } = await world.engine.accounts.upsert(
    { applicationId: world.applicationId },
    { email, providerType: 'PROVIDER_C', credentials },
  );
  const made = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await world.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { data: calendars } = await made('GET', `/v1/calendars/${account.id}`);
  const { id: calendarId } = calendars.find(({ isPrimary }: Json) => isPrimary);
  const path = `/v1/events/${account.id}/${calendarId}`;
  for (let copy = 0; copy < copies; copy += 1) {
    for (const body of singles(copy * COPY_DAYS)) await made('POST', path, body);
  }
  for (const body of recurring) await makeSeries(made, path, body);
  const folder = Buffer.from(calendarId, 'base64url').toString();
  const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`;
  return {
    accountId: account.id,
    calendarId,
    texts() {
      const { objects } = server.controls['objects']?.({ email }) as { objects: { name: string; data: string }[] };
      return new Map(objects.map(({ name, data }) => [`${folder}${name}`, data]));
    },
    async put(at, text) {
      const headers = { authorization, 'content-type': 'text/calendar; charset=utf-8' };
      const url = `http://sandbox.test${at.split('/').map(encodeURIComponent).join('/')}`;
      const response = await world.sandbox.fetch(new Request(url, { method: 'PUT', headers, body: text }));
      if (!response.ok) throw new Error(`PUT ${at} answered ${response.status}: ${await response.text()}`);
    },
  };
}
