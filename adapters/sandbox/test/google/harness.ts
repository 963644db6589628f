import { createSandbox, type Sandbox } from '@kalends/sandbox';

/** An answer with its JSON body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export type Json = any;

export interface CallOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ADA = 'ada@gmail.example';
export const CHARLES = 'charles@gmail.example';
export const NOW = Date.UTC(2026, 2, 2, 12);
export const ORIGIN = 'http://sandbox.test';

/** A sandbox with two Google mailboxes, and a way to call the Calendar API as either. */
export function startGoogle(options: { readonly fetch?: typeof fetch } = {}) {
  let now = NOW;
  const sandbox = createSandbox({ seed: 5, clock: { now: () => now }, ...options });
  sandbox.google.addMailbox({ email: ADA, name: 'Ada', timeZone: 'Europe/London' });
  sandbox.google.addMailbox({ email: CHARLES, name: 'Charles', timeZone: 'America/New_York' });
  const tokens = new Map<string, string>();

  async function call(email: string, method: string, path: string, input: CallOptions = {}): Promise<Answer> {
    const token = tokens.get(email) ?? (await sandbox.accessToken({ provider: 'google', email }));
    tokens.set(email, token);
    const query = new URLSearchParams(input.query).toString();
    const response = await sandbox.fetch(
      new Request(`${ORIGIN}/google/calendar/v3${path}${query === '' ? '' : `?${query}`}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...input.headers },
        ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }

  return {
    sandbox,
    call,
    ada: (method: string, path: string, input?: CallOptions) => call(ADA, method, path, input),
    charles: (method: string, path: string, input?: CallOptions) => call(CHARLES, method, path, input),
    advance(ms: number) {
      now += ms;
    },
  };
}

export type Google = ReturnType<typeof startGoogle>;

export const EVENTS = '/calendars/primary/events';

/** Creates an event in Ada's primary calendar and answers it. */
export async function insert(google: Google, body: Json, query: Record<string, string> = {}): Promise<Json> {
  const answer = await google.ada('POST', EVENTS, { body, query });
  if (answer.status !== 200) throw new Error(`insert: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const timed = (start: string, end: string, timeZone = 'Europe/London') => ({
  start: { dateTime: start, timeZone },
  end: { dateTime: end, timeZone },
});

export const WEEKLY = {
  summary: 'Weekly',
  ...timed('2026-03-02T09:00:00', '2026-03-02T10:00:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=6'],
};

export function reasonOf(answer: Answer): [number, string] {
  return [answer.status, answer.body?.error?.errors?.[0]?.reason];
}

/** The control verb of the Google server. */
export function control(sandbox: Sandbox, name: string, input: Record<string, unknown> = {}): Json {
  const verb = sandbox.google.controls[name];
  if (verb === undefined) throw new Error(`no control ${name}`);
  return verb(input);
}
