import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, fileState, type OutgoingNotification } from '@kalends/sandbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSandboxClock } from '../src/kernel/clock.ts';
import { createFaultBook } from '../src/kernel/fault-book.ts';
import { createNotificationQueue } from '../src/kernel/notification-queue.ts';
import { createSeededRandom } from '../src/kernel/seeded-random.ts';

describe('clock', () => {
  test('runs on its base, advances, freezes and goes on from the frozen instant', () => {
    let base = 1000;
    const clock = createSandboxClock({ now: () => base }, () => {});
    clock.advance(500);
    expect(clock.now()).toBe(1500);
    clock.freeze(9000);
    base += 100;
    expect(clock.now()).toBe(9000);
    clock.advance(1);
    expect(clock.now()).toBe(9001);
    clock.freeze(undefined);
    expect(clock.now()).toBe(9001);
    base += 10;
    expect(clock.now()).toBe(9011);
    expect(() => clock.advance(-1)).toThrow(RangeError);
  });
});

describe('seeded randomness', () => {
  test('replays from a seed and from a saved state', () => {
    const one = createSeededRandom(7);
    const other = createSeededRandom(7);
    expect(one.text(20)).toBe(other.text(20));
    const saved = one.state();
    const next = one.text(10);
    other.restore(saved);
    expect(other.text(10)).toBe(next);
    expect(createSeededRandom(8).text(20)).not.toBe(createSeededRandom(7).text(20));
  });
});

describe('faults', () => {
  test('match by provider, method and path, skip some and end after their times', () => {
    const book = createFaultBook();
    const request = { provider: 'google', method: 'GET', path: '/calendar/v3/calendars/x/events' };
    book.arm({
      provider: 'google',
      method: 'GET',
      path: '/calendar/.*/events',
      kind: 'answer',
      status: 503,
      skip: 1,
      times: 2,
    });
    expect(book.claim({ ...request, provider: 'microsoft' })).toBeUndefined();
    expect(book.claim({ ...request, method: 'POST' })).toBeUndefined();
    expect(book.claim({ ...request, path: `${request.path}/1` })).toBeUndefined();
    expect([1, 2, 3, 4].map(() => book.claim(request)?.status)).toEqual([undefined, 503, 503, undefined]);
    expect(book.list()).toEqual([]);
  });

  test.each([
    [{ provider: 'google', kind: 'answer' }, /status/],
    [{ provider: 'google', kind: 'delay' }, /delayMs/],
    [{ provider: 'google', kind: 'reset', path: '(' }, /path/],
    [{ provider: 'google', kind: 'reset', times: 0 }, /times/],
  ] as const)('refuse %j', (fault, message) => {
    expect(() => createFaultBook().arm(fault)).toThrow(message);
  });
});

describe('notifications', () => {
  const to = (url: string, body: string): OutgoingNotification => ({ provider: 'google', url, headers: {}, body });

  function queueWith(answer: (body: string) => number | 'down') {
    const sent: string[] = [];
    const waits: number[] = [];
    const queue = createNotificationQueue({
      random: createSeededRandom(3),
      time: {
        now: () => 0,
        wait: async (ms) => {
          waits.push(ms);
        },
      },
      fetch: async (_url, init) => {
        const body = String(init?.body);
        sent.push(body);
        const status = answer(body);
        if (status === 'down') throw new TypeError('fetch failed');
        return new Response(null, { status });
      },
    });
    return { queue, sent, waits };
  }

  test('go out in order per URL and are retried on 5xx and broken connections', async () => {
    const failures = new Map<string, (number | 'down')[]>([['a', [503, 'down']]]);
    const { queue, sent, waits } = queueWith((body) => failures.get(body)?.shift() ?? 200);
    queue.push(to('http://x.test/', 'a'));
    queue.push(to('http://x.test/', 'b'));
    await queue.idle();
    expect(sent).toEqual(['a', 'a', 'a', 'b']);
    expect(waits).toEqual([100, 400]);
    expect(queue.records().map((record) => record.outcome)).toEqual(['delivered', 'delivered']);
  });

  test('are given up after four attempts', async () => {
    const { queue, sent } = queueWith(() => 500);
    queue.push(to('http://x.test/', 'a'));
    await queue.idle();
    expect(sent).toHaveLength(4);
    expect(queue.records()).toMatchObject([{ outcome: 'failed', status: 500, attempts: 4 }]);
  });

  test('are dropped, doubled and swapped as the faults say', async () => {
    const { queue, sent } = queueWith(() => 200);
    queue.setFaults({ drop: 1 });
    queue.push(to('http://x.test/', 'dropped'));
    queue.setFaults({ duplicate: 1 });
    queue.push(to('http://x.test/', 'twice'));
    queue.setFaults({ reorder: 1 });
    queue.push(to('http://x.test/', 'held'));
    queue.setFaults({});
    queue.push(to('http://x.test/', 'before'));
    await queue.idle();
    expect(sent).toEqual(['twice', 'twice', 'before', 'held']);
  });
});

describe('state', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('a second sandbox on the same file goes on where the first ended', async () => {
    const state = fileState(join(folder, 'deep', 'state.json'));
    const first = createSandbox({ seed: 3, state });
    first.google.addMailbox({ email: 'a@gmail.example', name: 'A', timeZone: 'UTC' });
    first.google.addClient({ clientId: 'c', clientSecret: 's', redirectUris: [] });
    const refreshToken = first.google.issueRefreshToken({ email: 'a@gmail.example', clientId: 'c' });
    first.clock.freeze(Date.UTC(2030, 0, 1));
    await first.close();
    expect(readdirSync(join(folder, 'deep'))).toEqual(['state.json']);
    const second = createSandbox({ seed: 3, state });
    expect(second.google.mailboxes()).toEqual(['a@gmail.example']);
    expect(second.clock.now()).toBe(Date.UTC(2030, 0, 1));
    const answer = await second.fetch(
      new Request('http://x.test/google/token', {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: 'c',
          client_secret: 's',
        }),
      }),
    );
    expect(answer.status).toBe(200);
  });

  test('a change is saved before the answer goes out', async () => {
    let saved = '';
    const sandbox = createSandbox({
      state: {
        load: () => undefined,
        save: (text) => {
          saved = text;
        },
      },
    });
    sandbox.google.addMailbox({ email: 'a@gmail.example', name: 'A', timeZone: 'UTC' });
    const token = await sandbox.accessToken({ provider: 'google', email: 'a@gmail.example' });
    const answer = await sandbox.fetch(
      new Request('http://x.test/google/calendar/v3/calendars', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: '{"summary":"Saved at once"}',
      }),
    );
    expect(answer.status).toBe(200);
    expect(saved).toContain('Saved at once');
  });

  test('a request that the concurrency limit holds waits on the injected time', async () => {
    const waits: number[] = [];
    const sandbox = createSandbox({
      time: {
        now: () => 0,
        wait: async (ms) => {
          waits.push(ms);
        },
      },
    });
    const email = 'ada@contoso.example';
    sandbox.microsoft.addMailbox({ email, name: 'Ada', timeZone: 'UTC' });
    sandbox.microsoft.controls['setConcurrencyLimit']?.({ limit: 4, holdMs: 3_600_000 });
    const token = await sandbox.accessToken({ provider: 'microsoft', email });
    const headers = { authorization: `Bearer ${token}` };
    const answer = await sandbox.fetch(new Request('http://x.test/microsoft/v1.0/me/calendars', { headers }));
    expect(answer.status).toBe(200);
    expect(waits).toEqual([3_600_000]);
  }, 5_000);

  test('a file that cannot be read as state is an error, not an empty start', () => {
    const path = join(folder, 'state.json');
    writeFileSync(path, '{"half":');
    expect(() => createSandbox({ state: fileState(path) })).toThrow(SyntaxError);
  });
});
