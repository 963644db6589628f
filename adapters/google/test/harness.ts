import { seededRandom, waitlessClock } from '@kalends/conformance';
import { type GoogleOptions, google, googleEndpoints } from '@kalends/google';
import { createSandbox, type Listening, type Sandbox } from '@kalends/sandbox';
import {
  type CalendarRef,
  type EventChange,
  type EventPage,
  type EventTarget,
  type OAuthProvider,
  ProviderError,
  type ProviderEvent,
  type ProviderSession,
} from 'kalends/ports';
import { expect } from 'vitest';

export const ADA = 'ada@gmail.example';
export const GRACE = 'grace@gmail.example';
export const CLIENT = { clientId: 'kalends-tests', clientSecret: 'a-secret', settings: {} };
export const REDIRECT_URI = 'http://localhost:9999/callback';

/** A provider pointed at a sandbox with two people, and a way to act as either of them. */
export interface Harness {
  readonly sandbox: Sandbox;
  readonly root: string;
  readonly provider: OAuthProvider;
  sessionOf(email: string): ProviderSession;
  /** The sandbox's own API as a person would use it, past the adapter. */
  api(email: string, method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export async function startHarness(options: GoogleOptions = {}): Promise<Harness> {
  const sandbox = createSandbox({ seed: 3 });
  sandbox.google.addMailbox({ email: ADA, name: 'Ada', timeZone: 'Europe/London' });
  sandbox.google.addMailbox({ email: GRACE, name: 'Grace', timeZone: 'America/New_York' });
  sandbox.google.addClient({ ...CLIENT, redirectUris: [REDIRECT_URI] });
  const listening: Listening = await sandbox.listen();
  const root = `${listening.url}/google`;
  const tokenOf = (email: string) =>
    (sandbox.google.controls['issueAccessToken']?.({ email }) as { accessToken: string }).accessToken;
  return {
    sandbox,
    root,
    provider: google({
      ...googleEndpoints(root),
      // The sandbox needs no waits: a state that the adapter waits for comes with its next request.
      clock: waitlessClock(() => sandbox.clock.now()),
      random: seededRandom(5),
      ...options,
    }),
    sessionOf(email) {
      let token = tokenOf(email);
      return {
        accountId: `acc_${email}`,
        email,
        accessToken: async (refused) => {
          if (refused === token) token = tokenOf(email);
          return token;
        },
      };
    },
    async api(email, method, path, body) {
      const response = await fetch(`${root}/calendar/v3${path}`, {
        method,
        headers: { authorization: `Bearer ${tokenOf(email)}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    },
    close: () => sandbox.close(),
  };
}

/** The primary calendar of a mailbox of the harness. */
export function primaryOf(email: string): CalendarRef {
  return {
    id: email,
    timeZone: email === GRACE ? 'America/New_York' : 'Europe/London',
    isPrimary: true,
    isShared: false,
    inviteEmail: '',
    allowedOnlineMeetingProviders: ['hangoutsMeet'],
    defaultOnlineMeetingProvider: 'hangoutsMeet',
  };
}

export async function pullAll(pages: AsyncIterable<EventPage>): Promise<{
  readonly changes: readonly EventChange[];
  readonly pages: readonly EventPage[];
  readonly token: string;
}> {
  const all: EventPage[] = [];
  for await (const page of pages) all.push(page);
  return { changes: all.flatMap((page) => page.changes), pages: all, token: all.at(-1)?.nextToken ?? '' };
}

/** The one event of an answer, or the master of its one series. */
export function single(changes: readonly EventChange[]): ProviderEvent {
  expect(changes).toHaveLength(1);
  const change = changes[0];
  if (change?.kind === 'event') return change.event;
  if (change?.kind === 'series') return change.master;
  throw new Error(`no event in ${JSON.stringify(changes)}`);
}

export function exceptionsIn(changes: readonly EventChange[]): readonly ProviderEvent[] {
  const change = changes[0];
  if (changes.length !== 1 || change?.kind !== 'series') throw new Error(`no series in ${JSON.stringify(changes)}`);
  return change.exceptions;
}

export function targetOf(current: ProviderEvent): EventTarget {
  return { kind: 'event', providerEventId: current.providerEventId, current };
}

/** A slot that is no exception yet, as the engine computes it. */
export function slotOf(master: ProviderEvent, startMs: number): EventTarget {
  const recurrenceId = { kind: 'instant', startMs } as const;
  const current = {
    ...master,
    providerEventId: '',
    providerTag: null,
    seriesId: master.providerEventId,
    recurrenceId,
    content: master.content === null ? null : { ...master.content, recurrence: null },
  };
  return { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current, master };
}

/** An exception of a series, as the engine stored it. */
export function exceptionTarget(master: ProviderEvent, exception: ProviderEvent): EventTarget {
  if (exception.recurrenceId === null) throw new Error('not an exception');
  const { recurrenceId } = exception;
  return { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current: exception, master };
}

/** How a call was refused. */
export async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  try {
    await call;
  } catch (error) {
    if (ProviderError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

let requests = 0;

/** A fresh request id. */
export function newRequestId(): string {
  requests += 1;
  return requests.toString(16).padStart(32, '0');
}
