import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectMailboxes, controlsBy, openFailingReceiver, signIn, startDemo } from './demo-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let demo: Awaited<ReturnType<typeof startDemo>>;
let control: ReturnType<typeof controlsBy>;
let page: Awaited<ReturnType<typeof signIn>>;
let receiver: Awaited<ReturnType<typeof openFailingReceiver>>;

beforeEach(async () => {
  demo = await startDemo();
  page = await signIn(demo.dev);
  control = controlsBy(page);
  receiver = await openFailingReceiver(3);
});
afterEach(async () => {
  await demo.stop();
  await receiver.close();
});

/** Reads the progress of the turn to its end: an array of clocks. */
async function progress() {
  const response = await page('GET', '/sandbox/clock/progress');
  const lines = (await response.text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { epochMs: number; turn: { at: number; toAt: number } | null });
}

it('shows the change of another person as webhooks that are retried on schedule while the clock is turned', async () => {
  const [first] = await connectMailboxes(demo, receiver.url);
  const changedAt = demo.dev.clock.now();
  const made = await control('POST', `/google/mailboxes/${first?.email}/events`, {
    title: 'Tea',
    start: '2026-11-25T15:00',
  });
  expect(made.status).toBe(201);
  const begun = await control('POST', '/clock/advance', { ms: HOUR });
  expect(begun).toMatchObject({ status: 202, body: { turn: { toAt: begun.body.turn.fromAt + HOUR } } });
  const views = await progress();
  expect(views.at(-1)?.turn).toBeNull();
  expect(views.at(-1)?.epochMs).toBeGreaterThanOrEqual(changedAt + HOUR);
  const waits = receiver.posts.map(({ sentAt }, index) => sentAt - (receiver.posts[index - 1]?.sentAt ?? changedAt));
  // 0, 5 s, 5 min, 30 min, each ±20 %; the timestamps have whole seconds.
  const bounds = [
    [-1, 20],
    [3, 7],
    [239, 361],
    [1_439, 2_161],
  ];
  expect(waits).toHaveLength(bounds.length);
  for (const [index, [least = 0, most = 0]] of bounds.entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(least * 1_000);
    expect(waits[index]).toBeLessThanOrEqual(most * 1_000);
  }
  expect(new Set(receiver.posts.map(({ id }) => id)).size).toBe(1);
});

it('refuses a second turn, here and at the sandbox itself, and steps that are none', async () => {
  await control('POST', '/clock/advance', { ms: HOUR });
  const second = await control('POST', '/clock/advance', { ms: HOUR });
  expect(second).toMatchObject({
    status: 409,
    body: { code: 'Conflict', message: expect.stringContaining('is being turned to') },
  });
  const direct = await fetch(`${demo.dev.connection.sandboxUrl}/_sandbox/clock/advance`, {
    method: 'POST',
    body: JSON.stringify({ ms: HOUR }),
  });
  expect([direct.status, await direct.text()]).toEqual([400, expect.stringContaining('is being turned to')]);
  await progress();
  for (const body of [{ ms: 0 }, { ms: -5 }, { ms: 'week' }, {}, { ms: 1, more: 2 }]) {
    const answer = await control('POST', '/clock/advance', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^ms: must be /), details: [{ path: 'ms' }] },
    });
  }
});

it('turns engine and sandbox together by the control of the sandbox', async () => {
  const [before] = [await control('GET', '/clock')];
  const answer = await fetch(`${demo.dev.connection.sandboxUrl}/_sandbox/clock/advance`, {
    method: 'POST',
    body: JSON.stringify({ ms: HOUR }),
  });
  expect(answer.status).toBe(200);
  await progress();
  const after = await control('GET', '/clock');
  expect(after.body.epochMs - before.body.epochMs).toBeGreaterThanOrEqual(HOUR);
  const listed = await demo.api.expect('POST', '/v1/endUserAccounts', demo.dev.connection.accounts[0], 201);
  expect(Date.parse(String(listed.createdAt))).toBeGreaterThanOrEqual(before.body.epochMs + HOUR);
});

it('passes everything else on to the sandbox, but no reset', async () => {
  const armed = await control('POST', '/faults', { provider: 'google', kind: 'answer', status: 503, times: 3 });
  expect(armed).toMatchObject({ status: 201, body: { hits: 0, times: 3 } });
  expect((await control('GET', '/faults')).body.faults).toHaveLength(1);
  expect((await control('DELETE', `/faults/${armed.body.id}`)).status).toBe(200);
  expect((await control('PUT', '/notification-faults', { drop: 0.5 })).body).toEqual({ drop: 0.5 });
  expect((await control('GET', '/requests')).body).toEqual({ requests: [] });
  expect((await control('POST', '/reset')).status).toBe(409);
  expect((await control('GET', '/state')).body.google.mailboxes).toContain('ada@gmail.example');
  expect((await control('GET', '/nothing')).status).toBe(404);
});

it('expires the account whose grant is taken back', async () => {
  for (const { id, email } of await connectMailboxes(demo, receiver.url)) {
    const provider = email.includes('gmail') ? 'google' : 'microsoft';
    expect((await control('POST', `/${provider}/mailboxes/${email}/revoke`)).body.revoked).toBeGreaterThan(0);
    await demo.dev.clock.advance(HOUR);
    expect(await demo.api.expect('GET', `/v1/endUserAccounts/${id}`)).toMatchObject({ status: 'EXPIRED' });
  }
});

it('does not turn time back when it is started again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-demo-'));
  try {
    const first = await startDemo(folder);
    await first.dev.clock.advance(3 * HOUR);
    const stoppedAt = first.dev.clock.now();
    await first.stop();
    const second = await startDemo(folder);
    expect(second.dev.clock.now()).toBeGreaterThanOrEqual(stoppedAt);
    expect(second.dev.clock.offsetMs()).toBe(first.dev.clock.offsetMs());
    await second.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('answers people who are signed in alone', async () => {
  const { siteUrl, clock } = demo.dev;
  for (const init of [{}, { method: 'POST', headers: { 'x-kalends-dashboard': '1' }, body: '{"ms":3600000}' }]) {
    const response = await fetch(`${siteUrl}/dashboard/sandbox/clock/advance`, init);
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'Unauthorized' }]);
  }
  const foreign = await fetch(`${siteUrl}/dashboard/sandbox/clock/advance`, { method: 'POST', body: '{"ms":3600000}' });
  expect(foreign.status).toBe(403);
  expect(clock.offsetMs()).toBe(0);
});

it('keeps people signed in for longer than a session lasts on the clock', async () => {
  await demo.dev.clock.advance(13 * HOUR);
  expect((await page('GET', '/admin/v1/applications')).status).toBe(200);
});
