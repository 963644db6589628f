import type { Actor, OAuthClientService } from '../engine-interface.ts';
import { type Clock, type Finding, type ProviderConfigRow, SECRET_NOTICE_MS, type Storage } from '../ports/index.ts';

/** Clients that one diagnosis looks at: it must end in seconds. */
const MAX_CLIENTS = 100;
const AT_ONCE = 8;
const PAGE_SIZE = 250;
const DAY_MS = 86_400_000;

interface ClientDependencies {
  readonly storage: Pick<Storage, 'applications' | 'providerConfigs'>;
  readonly oauthClients: Pick<OAuthClientService, 'test'>;
  readonly clock: Clock;
}

/** Asks the providers whether they accept the OAuth clients of the applications, and looks at the ends of their secrets. */
export async function clientFindings(dependencies: ClientDependencies, by: Actor): Promise<readonly Finding[]> {
  const { rows, isCut } = await listClients(dependencies.storage);
  const waiting = [...rows];
  const tested = new Map<string, Finding>();
  const takeTurns = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      tested.set(row.id, await testFinding(dependencies, row, by));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  const findings = rows.flatMap((row) =>
    [tested.get(row.id) ?? [], expiryFinding(row, dependencies.clock.now())].flat(),
  );
  if (rows.length === 0) return [noClients()];
  return isCut ? [...findings, notAll()] : findings;
}

async function listClients({ applications, providerConfigs }: ClientDependencies['storage']) {
  const rows: ProviderConfigRow[] = [];
  let after: Parameters<typeof applications.list>[0]['after'];
  do {
    const page = await applications.list({ limit: PAGE_SIZE, after });
    for (const { id } of page) {
      if (rows.length < MAX_CLIENTS) rows.push(...(await providerConfigs.list(id)));
    }
    after = page.length === PAGE_SIZE ? page.at(-1) : undefined;
  } while (after !== undefined && rows.length < MAX_CLIENTS);
  return { rows: rows.slice(0, MAX_CLIENTS), isCut: rows.length >= MAX_CLIENTS };
}

async function testFinding(
  { oauthClients }: ClientDependencies,
  { applicationId, providerType }: ProviderConfigRow,
  by: Actor,
): Promise<Finding> {
  const check = 'oauthClient';
  const whose = `The OAuth client of application ${applicationId} at ${providerType}`;
  try {
    const { outcome, message } = await oauthClients.test(applicationId, providerType, by);
    if (outcome === 'accepted') return { check, status: 'ok', message: `${whose} is accepted.`, remedy: null };
    const status = outcome === 'refused' ? 'failed' : 'warning';
    const remedy =
      outcome === 'refused' ? 'Set the client again with the id and secret that the provider shows.' : null;
    return { check, status, message: `${whose}: ${message}`, remedy };
  } catch {
    // The causes are findings of their own: the secret, the database, a provider that is not registered any more.
    const remedy = 'Mend the secret first; or set the client again, or remove it.';
    return { check, status: 'failed', message: `${whose} cannot be tested.`, remedy };
  }
}

function expiryFinding(row: ProviderConfigRow, now: number): Finding {
  const check = 'oauthClientSecret';
  const { applicationId, providerType, secretExpiresAt } = row;
  const whose = `The client secret of application ${applicationId} at ${providerType}`;
  if (secretExpiresAt === null) {
    const message = `${whose} has no known end: providers do not tell it. A client that was set with secretExpiresAt is watched.`;
    return { check, status: 'skipped', message, remedy: null };
  }
  const day = new Date(secretExpiresAt).toISOString().slice(0, 10);
  const days = Math.floor((secretExpiresAt - now) / DAY_MS);
  if (secretExpiresAt > now + SECRET_NOTICE_MS) {
    return { check, status: 'ok', message: `${whose} ends on ${day}, in ${days} days.`, remedy: null };
  }
  const remedy =
    'Make a new secret at the provider, set the client with it and its secretExpiresAt, then remove the old one there.';
  if (secretExpiresAt > now) {
    return { check, status: 'warning', message: `${whose} ends on ${day}, in ${days} days.`, remedy };
  }
  return { check, status: 'failed', message: `${whose} ended on ${day}.`, remedy };
}

function noClients(): Finding {
  const message = 'No application has an OAuth client yet.';
  const remedy = 'Create an application and set its client at a provider: see "Start it" in docs/operating.md.';
  return { check: 'oauthClient', status: 'skipped', message, remedy };
}

function notAll(): Finding {
  const message = `Only the first ${MAX_CLIENTS} OAuth clients were tested.`;
  return { check: 'oauthClient', status: 'skipped', message, remedy: 'Test the others one by one: "client test".' };
}
