import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  createClient,
  InvalidAnswerError,
  TimeoutError,
} from '@kalends/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// The client waits by the real clock.
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Answer = Response | Error | 'silence' | 'half a body';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

const OK = () => Response.json({ id: 'x', success: true });
const refusal = (
  status: number,
  headers: Record<string, string> = {},
  body: object = { code: 'InternalError', detail: 'No.' },
) => Response.json(body, { status, headers });
const LOST = () => new TypeError('fetch failed');

/** A client whose service gives these answers in turn. */
function clientOf(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: string, { method = '', headers, signal }: RequestInit): Promise<Response> => {
    const answer = answers[sent.length];
    sent.push({ method, url, headers: headers as Record<string, string> });
    if (answer === undefined) throw new Error('one request too many');
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    if (answer === 'silence') return await aborted;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":'));
        aborted.catch((error) => controller.error(error));
      },
    });
    return new Response(body);
  };
  const client = createClient({ baseUrl: 'http://service.test/api/', apiKey: 'key', fetch, ...options });
  return { client, sent };
}

/** Waits for a call while its timers run. */
async function settled<Result>(call: Promise<Result>): Promise<Result | unknown> {
  let outcome: { value: unknown } | undefined;
  call.then(
    (value) => {
      outcome = { value };
    },
    (error) => {
      outcome = { value: error };
    },
  );
  for (let seconds = 0; outcome === undefined && seconds < 1_000; seconds += 1)
    await vi.advanceTimersByTimeAsync(1_000);
  return (outcome ?? { value: 'still waiting' }).value;
}

describe('an attempt', () => {
  it('ends after 30 seconds of silence', async () => {
    const { client } = clientOf(['silence'], { retries: 0 });
    const error = await settled(client.accounts.get('x'));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      timeoutMs: 30_000,
      message: 'The service did not answer within 30000 ms.',
      request: { method: 'GET', path: '/v1/endUserAccounts/x', attempts: 1 },
    });
  });

  it('ends when the body does not come', async () => {
    const { client } = clientOf(['half a body'], { retries: 0, timeoutMs: 500 });
    expect(await settled(client.accounts.get('x'))).toBeInstanceOf(TimeoutError);
  });

  it('takes the timeout of its call', async () => {
    const { client } = clientOf(['silence']);
    const call = client.accounts.get('x', { timeoutMs: 5, retries: 0 });
    expect(await settled(call)).toMatchObject({ timeoutMs: 5 });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a timeout of %s is refused', (timeoutMs) => {
    expect(() => clientOf([], { timeoutMs })).toThrow('timeoutMs');
  });

  it.each([
    0,
    -1,
    Number.NaN,
    2 ** 31,
    Number.POSITIVE_INFINITY,
  ])('a timeout of %s of a call is refused', async (timeoutMs) => {
    const { client, sent } = clientOf([OK()]);
    expect(await settled(client.accounts.get('x', { timeoutMs }))).toEqual(
      new RangeError('timeoutMs: must be from 1 to 2147483647'),
    );
    expect(sent).toHaveLength(0);
  });

  it.each([
    ['7', 7_000],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
    ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
    ['soon', undefined],
    ['', undefined],
  ])('reads the Retry-After %j', async (value, retryAfterMs) => {
    vi.setSystemTime(Date.UTC(2026, 0, 1));
    const { client } = clientOf([refusal(429, { 'retry-after': value })], { retries: 0 });
    expect(await settled(client.accounts.get('x'))).toMatchObject({ status: 429, retryAfterMs });
  });

  it.each([
    new Error('the user went away'),
    'a reason that is no error',
  ])('rejects with the reason of the signal, before, during and between attempts: %s', async (reason) => {
    const { client, sent } = clientOf([OK()]);
    expect(await settled(client.accounts.get('x', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(sent).toHaveLength(0);
    for (const answer of ['silence', 'half a body', refusal(503), refusal(429, { 'retry-after': '30' })] as const) {
      const controller = new AbortController();
      const call = clientOf([answer]).client.accounts.get('x', { signal: controller.signal });
      const outcome = call.catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(20);
      controller.abort(reason);
      expect(await outcome).toBe(reason);
    }
  });

  it('names the client to the service, and sends headers of the call', async () => {
    const { client, sent } = clientOf([OK()]);
    await settled(client.accounts.get('x', { headers: { 'x-request-id': 'mine', 'x-api-key': 'other' } }));
    expect(sent[0]?.url).toBe('http://service.test/api/v1/endUserAccounts/x');
    expect(sent[0]?.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^kalends-client\/\d/),
      'x-request-id': 'mine',
      'x-api-key': 'key',
    });
  });
});

describe('errors', () => {
  it('tell what was asked, and the id of the request', async () => {
    const body = { code: 'NotFound', detail: 'There is no account x.', requestId: 'req_1' };
    const error = await settled(clientOf([refusal(404, {}, body)]).client.accounts.get('x'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 'NotFound',
      status: 404,
      requestId: 'req_1',
      message: 'There is no account x.',
    });
  });

  it('keep the cause of a lost connection', async () => {
    const lost = LOST();
    const error = await settled(clientOf([lost], { retries: 0 }).client.accounts.get('x'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ cause: lost, request: { attempts: 1 } });
  });

  it('tell of an answer that is not the service', async () => {
    const page = new Response('<html>', { headers: { 'x-request-id': 'req_2' } });
    const error = await settled(clientOf([page]).client.accounts.get('x'));
    expect(error).toBeInstanceOf(InvalidAnswerError);
    expect(error).toMatchObject({ status: 200, requestId: 'req_2', message: expect.stringContaining('baseUrl') });
    const refused = await settled(clientOf([new Response('<html>', { status: 403 })]).client.accounts.get('x'));
    expect(refused).toMatchObject({ name: 'ApiError', code: 'Unknown', reportedCode: undefined, status: 403 });
  });

  it.each([
    ['text/html; charset=utf-8', '<html>'],
    ['application/json', '{}'],
    [undefined, new Uint8Array()],
  ])('tell of an export that is %s', async (type, body) => {
    const answer = new Response(body, type === undefined ? {} : { headers: { 'content-type': type } });
    const error = await settled(clientOf([answer]).client.calendars.export('a', 'c'));
    expect(error).toBeInstanceOf(InvalidAnswerError);
    expect(error).toMatchObject({ message: expect.stringContaining('is not iCalendar: check that baseUrl') });
    const file = new Response('BEGIN:VCALENDAR', { headers: { 'content-type': 'Text/Calendar;charset=utf-8' } });
    expect(await settled(clientOf([file]).client.calendars.export('a', 'c'))).toBe('BEGIN:VCALENDAR');
  });

  it('have a code of the documented ones, whatever the service reports', async () => {
    const codeOf = async (code: unknown) => {
      const error = await settled(clientOf([refusal(403, {}, { code })]).client.accounts.get('x'));
      return error instanceof ApiError && [error.code, error.reportedCode];
    };
    expect(await codeOf('CalendarReadOnly')).toEqual(['CalendarReadOnly', 'CalendarReadOnly']);
    expect(await codeOf('CodeOfTheFuture')).toEqual(['Unknown', 'CodeOfTheFuture']);
    expect(await codeOf(17)).toEqual(['Unknown', undefined]);
  });
});

describe('a call is sent again', () => {
  const event = { title: 't', start: { dateTime: '2026-03-02T09:00:00Z' } };

  it.each([
    ['lost connections', LOST],
    ['timeouts', () => 'silence' as const],
    ['500', () => refusal(500)],
    ['502', () => refusal(502)],
    ['503', () => refusal(503)],
    ['504', () => refusal(504)],
    ['429', () => refusal(429)],
  ])('after %s, at most twice', async (_, fault) => {
    const { client, sent } = clientOf([fault(), fault(), OK()]);
    expect(await settled(client.accounts.get('x'))).toMatchObject({ id: 'x' });
    expect(sent).toHaveLength(3);
    const failing = clientOf([fault(), fault(), fault()]);
    const error = await settled(failing.client.accounts.get('x'));
    expect(error).toMatchObject({ request: { attempts: 3 } });
  });

  it.each([400, 401, 403, 404, 409, 410, 412, 422])('never after %i', async (status) => {
    const { client, sent } = clientOf([refusal(status)]);
    expect(await settled(client.accounts.get('x'))).toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  it('as often as its options say', async () => {
    const { client, sent } = clientOf([LOST(), OK()]);
    await settled(client.accounts.get('x', { retries: 0 }));
    expect(sent).toHaveLength(1);
    expect(() => clientOf([], { retries: -1 })).toThrow('retries');
  });

  it.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])('and not at all for retries of %s', async (retries) => {
    const { client, sent } = clientOf([OK()]);
    const error = await settled(client.accounts.get('x', { retries }));
    expect(error).toEqual(new RangeError('retries: must be a whole number from 0 on'));
    expect(sent).toHaveLength(0);
  });

  it('a creation under the same key, so that it creates one object', async () => {
    const { client, sent } = clientOf([LOST(), OK(), OK(), OK()]);
    await settled(client.events.create('a', 'c', event));
    await settled(client.calendars.create('a', { name: 'n' }));
    await settled(client.events.create('a', 'c', event, { idempotencyKey: 'mine' }));
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[2]).not.toBe(keys[0]);
    expect(keys[3]).toBe('mine');
  });

  it('not where it may do something twice, or its own condition would fail', async () => {
    const once = async (call: (client: ReturnType<typeof createClient>) => Promise<unknown>) => {
      const { client, sent } = clientOf([LOST()]);
      expect(await settled(call(client))).toBeInstanceOf(ConnectionError);
      expect(sent).toHaveLength(1);
    };
    await once((client) => client.subscriptions.create('a', { calendarId: 'c', webhookUrl: 'https://x.test' }));
    await once((client) => client.subscriptions.one('a', 's').redeliver('m'));
    await once((client) => client.events.update('a', 'c', 'e', { title: 'n' }, { ifMatch: '"1"' }));
    const start = { dateTime: '2026-03-16T09:00:00Z' };
    await once((client) => client.events.update('a', 'c', 'e_1', { start }, { scope: 'all' }));
    const end = { date: '2026-03-17' };
    for (const body of [{ recurrence: null }, { isAllDay: true }, { end }]) {
      await once((client) => client.events.update('a', 'c', 'e_1', body, { scope: 'all' }));
    }
    await once((client) => client.events.update('a', 'c', 'e', { isCancelled: true }));
    await once((client) => client.events.update('a', 'c', 'e_1', { title: 'n' }, { scope: 'following' }));
    await once((client) => client.events.delete('a', 'c', 'e', { ifMatch: '"1"' }));
    const quiet = { notifyAttendees: 'none' } as const;
    for (const options of [{}, { notifyAttendees: 'external' }, { ...quiet, ifMatch: '"1"' }] as const) {
      await once((client) => client.events.respond('a', 'c', 'e', { responseStatus: 'accepted' }, options));
    }
  });

  it('an answer to an invitation of which no mail goes out', async () => {
    const { client, sent } = clientOf([LOST(), OK()]);
    const answer = { responseStatus: 'accepted', comment: 'gladly' } as const;
    await settled(client.events.respond('a', 'c', 'e', answer, { notifyAttendees: 'none' }));
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['429', () => refusal(429)],
    ['CalendarSyncing', () => refusal(503, {}, { code: 'CalendarSyncing' })],
  ])('even so after %s, which did nothing', async (_, refused) => {
    const { client, sent } = clientOf([refused(), OK(), refused(), OK()]);
    await settled(client.subscriptions.create('a', { calendarId: 'c', webhookUrl: 'https://x.test' }));
    await settled(client.events.respond('a', 'c', 'e', { responseStatus: 'accepted' }, { ifMatch: '"1"' }));
    expect(sent).toHaveLength(4);
  });

  const GONE = () => refusal(404, {}, { code: 'NotFound' });

  it.each([
    ['was lost', LOST],
    ['came too late', () => 'silence' as const],
    ['was an error of the service', () => refusal(500)],
    ['was an outage of the provider', () => refusal(503, {}, { code: 'ProviderUnavailable' })],
    ['was that of a proxy', () => new Response('<html>', { status: 503 })],
  ])('a deletion whose answer %s finds nothing to delete, and succeeds', async (_, fault) => {
    const { client } = clientOf([fault(), GONE()]);
    expect(await settled(client.events.delete('a', 'c', 'e'))).toEqual({ success: true });
  });

  it.each([
    ['too many calls', () => refusal(429)],
    ['a calendar without its first sync', () => refusal(503, {}, { code: 'CalendarSyncing' })],
  ])('a deletion that was refused for %s, and then finds nothing to delete, fails', async (_, refused) => {
    const { client } = clientOf([refused(), GONE()]);
    expect(await settled(client.events.delete('a', 'c', 'e'))).toMatchObject({ code: 'NotFound', status: 404 });
  });

  it('a deleted account is answered like one whose answer was lost', async () => {
    const { client } = clientOf([LOST(), GONE()]);
    expect(await settled(client.accounts.delete('a'))).toEqual({ message: 'End user account deleted', ok: true });
  });

  it.each([
    ['events.delete', (client: ReturnType<typeof createClient>) => client.events.delete('a', 'c', 'e')],
    ['accounts.delete', (client: ReturnType<typeof createClient>) => client.accounts.delete('a')],
    ['bookings.cancel', (client: ReturnType<typeof createClient>) => client.bookings.cancel('t')],
  ])('%s fails when the 404 is that of a proxy', async (_, call) => {
    const page = new Response('default backend - 404', { status: 404 });
    const { client } = clientOf([new Response('<html>', { status: 503 }), page]);
    expect(await settled<unknown>(call(client))).toMatchObject({ name: 'ApiError', code: 'Unknown', status: 404 });
  });

  it('not before the time of Retry-After, and not at all when that is more than a minute', async () => {
    const { client, sent } = clientOf([refusal(503, { 'retry-after': '20' }), OK()]);
    const call = client.accounts.get('x');
    await vi.advanceTimersByTimeAsync(19_999);
    expect(sent).toHaveLength(1);
    await settled(call);
    expect(sent).toHaveLength(2);
    const patient = clientOf([refusal(503, { 'retry-after': '61' })]);
    expect(await settled(patient.client.accounts.get('x'))).toMatchObject({ retryAfterMs: 61_000 });
    expect(patient.sent).toHaveLength(1);
  });
});

it('hooks see each attempt, and may add headers', async () => {
  const seen: unknown[] = [];
  const { client, sent } = clientOf([LOST(), refusal(503, { 'x-request-id': 'req_3' }), OK()], {
    hooks: {
      onRequest({ headers, attempt, method }) {
        headers['traceparent'] = `00-${attempt}`;
        seen.push(`${method} ${attempt}`);
      },
      onResponse: ({ status, requestId, attempt, durationMs }) =>
        seen.push([status, requestId, attempt, durationMs >= 0]),
      onFailure: ({ error, attempt }) => seen.push([error.name, attempt]),
    },
  });
  await settled(client.accounts.get('x'));
  expect(seen).toEqual([
    'GET 1',
    ['ConnectionError', 1],
    'GET 2',
    [503, 'req_3', 2, true],
    'GET 3',
    [200, undefined, 3, true],
  ]);
  expect(sent.map(({ headers }) => headers['traceparent'])).toEqual(['00-1', '00-2', '00-3']);
});

it.each([
  'onRequest',
  'onResponse',
] as const)('an error of the hook %s rejects the call as it is, once', async (hook) => {
  const fault = new Error('the hook failed');
  const fail = () => {
    throw fault;
  };
  const { client, sent } = clientOf([OK()], { hooks: { [hook]: fail } });
  expect(await settled(client.accounts.get('x'))).toBe(fault);
  expect(sent.length).toBeLessThanOrEqual(1);
});

it.each(['.', '..', ''])('an id of %j, which would lead to another address, is refused', async (id) => {
  const { client, sent } = clientOf([]);
  const calls = [
    client.events.get('a', 'c', id),
    client.events.listAttachments('a', 'c', id),
    client.accounts.delete(id),
    client.events.list('a', id).page(),
  ];
  const paths = [`events/a/c/${id}`, `events/a/c/${id}/attachments`, `endUserAccounts/${id}`, `events/a/${id}`];
  expect(await settled<unknown>(Promise.allSettled<unknown>(calls))).toEqual(
    paths.map((path) => ({
      status: 'rejected',
      reason: new RangeError(`/v1/${path}: ids must not be empty, "." or ".."`),
    })),
  );
  expect(sent).toHaveLength(0);
});

it('a body that is no JSON is the caller\u2019s mistake, not a lost connection', async () => {
  const { client, sent } = clientOf([]);
  const error = await settled(client.calendars.create('a', { name: 1n } as never));
  expect(error).toBeInstanceOf(TypeError);
  expect(sent).toHaveLength(0);
});
