import type { DemoMailboxes, Sandbox } from '@kalends/sandbox';
import { type Engine, KalendsError } from 'kalends';
import { CommandError } from '../command-error.ts';
import type { DevAccount, DevMailbox, DevState } from './dev-state.ts';

/** A CalDAV server of the user's own, and how to sign in there. */
export interface CalDavSignIn {
  readonly serverUrl: string;
  readonly username: string;
  readonly password: string;
}

/** Returns the address of the sandbox's CalDAV server. */
export const calDavUrl = (sandboxUrl: string): string => `${sandboxUrl}/caldav/`;

/** Issues the app password to show; keeps the one of an earlier start while it opens the mailbox. */
export async function issueAppPassword(
  sandbox: Sandbox,
  { caldav: email }: DemoMailboxes,
  state: DevState,
  sandboxUrl: string,
): Promise<DevState & { readonly appPassword: string }> {
  const kept = state.appPassword;
  const lives = kept !== undefined && (await opens(sandbox, sandboxUrl, email, kept));
  return { ...state, appPassword: lives ? kept : sandbox.caldav.addAppPassword({ email }) };
}

async function opens(sandbox: Sandbox, sandboxUrl: string, email: string, password: string): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`;
  const headers = { authorization, depth: '0' };
  const answer = await sandbox.fetch(new Request(calDavUrl(sandboxUrl), { method: 'PROPFIND', headers }));
  return answer.status !== 401;
}

/** Returns the demo's CalDAV mailbox as `POST /v1/endUserAccounts` takes it. */
export function calDavMailbox(email: string, password: string, sandboxUrl: string): DevMailbox {
  const serverUrl = calDavUrl(sandboxUrl);
  return { email, providerType: 'CALDAV', credentials: { kind: 'password', serverUrl, username: email, password } };
}

/** Connects the user's own server. @throws CommandError with the engine's sentence for a server or password that does not work */
export async function connectOwnServer(
  engine: Pick<Engine, 'accounts'>,
  applicationId: string,
  signIn: CalDavSignIn,
): Promise<DevAccount> {
  try {
    const credentials = { kind: 'password', ...signIn } as const;
    const { account } = await engine.accounts.upsert({ applicationId }, { providerType: 'CALDAV', credentials });
    return { id: account.id, email: account.email, serverUrl: signIn.serverUrl };
  } catch (error) {
    if (!KalendsError.isInstance(error)) throw error;
    throw new CommandError(`--caldav ${signIn.serverUrl}: ${error.message}`, 1);
  }
}
