import { caldav } from '@kalends/caldav';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import type { EngineOptions } from 'kalends';
import { body, type Connected, calendarsPath } from '../steps.ts';
import { createWorld, type Json, type World } from '../world.ts';

const SANDBOX_URL = 'http://sandbox.test';

/** Providers that files can be imported into. */
export const TARGETS = ['google', 'microsoft', 'caldav'] as const;
export type Target = (typeof TARGETS)[number];

/** A world with a CalDAV server besides both other providers. */
export interface ImportWorld extends World {
  /** Connects a new person of Berlin, me@example.com or another address. */
  connectTo(target: Target, email?: string): Promise<Connected>;
}

const TYPE = { 'content-type': 'text/calendar' };

export const importsPath = ({ accountId, calendarId }: Connected) => `${calendarsPath(accountId, calendarId)}/imports`;

export async function createImportWorld(options: Partial<EngineOptions> = {}): Promise<ImportWorld> {
  const reach = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    world.sandbox.fetch(new Request(input, init));
  const ofAdapters = { fetch: reach, limits: { callsPerInterval: Number.POSITIVE_INFINITY } };
  const world: World = await createWorld({
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), ...ofAdapters }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), ...ofAdapters }),
      PROVIDER_C: caldav(ofAdapters),
    },
    ...options,
  });
  let people = 0;
  return {
    ...world,
    async connectTo(target, email) {
      if (target !== 'caldav') return world.connect(target, email);
      people += 1;
      const address = email ?? `person${people}@dav.example`;
      world.sandbox.caldav.addMailbox({ email: address, name: 'Person', timeZone: 'Europe/Berlin' });
      const password = world.sandbox.caldav.addAppPassword({ email: address });
      const credentials = {
        kind: 'password',
        serverUrl: `${SANDBOX_URL}/caldav/`,
        username: address,
        password,
      } as const;
      const caller = { applicationId: world.applicationId };
      const { account } = await world.engine.accounts.upsert(caller, {
        email: address,
        providerType: 'PROVIDER_C',
        credentials,
      });
      for (;;) {
        const calendars = await world.call('GET', calendarsPath(account.id));
        if (calendars.body.code === 'CalendarSyncing') continue;
        const primary = body(calendars).data.find((calendar: Json) => calendar.isPrimary);
        return { accountId: account.id, email: address, calendarId: primary.id };
      }
    },
  };
}

/** An import that is over, with all its problems. */
export async function importedInto(
  world: World,
  place: Connected,
  file: string | Uint8Array,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Json> {
  const answer = await world.call('POST', `${importsPath(place)}?dryRun=${dryRun}`, { body: file, headers: TYPE });
  const path = `${importsPath(place)}/${body(answer, 202).id}`;
  for (;;) {
    const now = body(await world.call('GET', path));
    if (now.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    const problems = [...now.problems];
    for (let token = now.nextPageToken; token !== null; ) {
      const page = body(await world.call('GET', `${path}?pageToken=${encodeURIComponent(token)}`));
      problems.push(...page.problems);
      token = page.nextPageToken;
    }
    return { ...now, problems };
  }
}

/** The calendar as a file. */
export async function exportOf(world: World, { accountId, calendarId }: Connected): Promise<string> {
  const { status, body: text } = await world.call('GET', `${calendarsPath(accountId, calendarId)}/export`);
  if (status !== 200) throw new Error(`the export answered ${status}`);
  return text;
}
