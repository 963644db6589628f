import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createSandbox, type Sandbox } from '@kalends/sandbox';

const CLIENT_ID = 'kalends-tests';
const HOOK = new URL('../../webhooks/processes/typescript-hook.js', import.meta.url).href;

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
export type Json = any;

/** An engine in a process of its own, with the providers' sandbox in this one. */
export interface AttackedEngine {
  readonly sandbox: Sandbox;
  readonly sandboxUrl: string;
  /** Calls the interface. */
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Json }>;
  /** Connects a new mailbox; resolves with the paths of its account and of the events of its primary calendar. */
  connect(
    provider: 'google' | 'microsoft',
    email: string,
    prepare?: () => Promise<void>,
  ): Promise<{ readonly accountId: string; readonly calendarId: string }>;
  /** The longest turn of the engine's event loop since the last question, in milliseconds of CPU time of a quiet machine. */
  longestTurnMs(): Promise<number>;
  close(): Promise<void>;
}

export async function startAttackedEngine(): Promise<AttackedEngine> {
  const sandbox = createSandbox({ seed: 5 });
  const { url: sandboxUrl } = await sandbox.listen();
  const engine = fork(new URL('./run-engine.ts', import.meta.url), [sandboxUrl], {
    execArgv: ['--conditions=kalends-source', '--import', HOOK],
  });
  const answer = async () => (await once(engine, 'message'))[0] as Json;
  const { url, key } = await answer();
  for (const provider of ['google', 'microsoft'] as const) {
    sandbox[provider].addClient({ clientId: CLIENT_ID, clientSecret: 'a-secret', redirectUris: [] });
  }

  const call: AttackedEngine['call'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };

  /** Asks until the first synchronisation is over. */
  async function read(path: string): Promise<Json> {
    for (;;) {
      const { status, body } = await call('GET', path);
      if (body?.code !== 'CalendarSyncing') {
        if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
        return body;
      }
    }
  }

  return {
    sandbox,
    sandboxUrl,
    call,
    async connect(provider, email, prepare) {
      sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
      await prepare?.();
      const providerType = provider === 'google' ? 'PROVIDER_A' : 'PROVIDER_B';
      const refreshToken = sandbox[provider].issueRefreshToken({ email, clientId: CLIENT_ID });
      const { body } = await call('POST', '/v1/endUserAccounts', { email, providerType, refreshToken });
      const calendars = await read(`/v1/calendars/${body.id}`);
      const primary = calendars.data.find((calendar: Json) => calendar.isPrimary);
      return { accountId: body.id, calendarId: primary.id };
    },
    async longestTurnMs() {
      engine.send('longest turn?');
      return (await answer()).longestTurnMs;
    },
    async close() {
      engine.disconnect();
      await once(engine, 'exit');
      await sandbox.close();
    },
  };
}
