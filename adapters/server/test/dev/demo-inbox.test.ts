import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Anything, controlsBy, signIn, startDemo } from './demo-world.ts';

let folder: string;
let demo: Awaited<ReturnType<typeof startDemo>>;
let control: ReturnType<typeof controlsBy>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-inbox-'));
  await start();
});
afterEach(async () => {
  await demo.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start() {
  demo = await startDemo(folder);
  control = controlsBy(await signIn(demo.dev));
}

/** Connects Ada, and subscribes the inbox to her calendar as the page does. */
async function subscribe() {
  const [ada] = demo.dev.connection.accounts;
  const { id } = await demo.api.expect('POST', '/v1/endUserAccounts', ada, 201);
  const { url } = (await control('GET', '/inbox')).body;
  const made = await demo.api.expect(
    'POST',
    `/v1/calendarSubscriptions/${id}`,
    { calendarId: ada?.email, webhookUrl: url },
    201,
  );
  await control('POST', '/inbox/secrets', { secret: made.endpointSecret });
}

/** Changes the calendar as Ada does, and waits for so many more webhooks. */
async function change(webhooks: number): Promise<Anything[]> {
  const before = ((await control('GET', '/inbox')).body.posts as Anything[]).at(-1)?.number ?? 0;
  await control('POST', '/google/mailboxes/ada@gmail.example/events', { title: 'Tea', start: '2026-11-25T15:00' });
  for (;;) {
    const { posts } = (await control('GET', `/inbox?after=${before}`)).body;
    if (posts.length >= webhooks) return posts;
    await demo.dev.clock.advance(60_000);
  }
}

/** Sends a webhook that arrived once more. */
async function replay({ headers, body }: Anything) {
  const { url } = (await control('GET', '/inbox')).body;
  const own = Object.fromEntries(Object.entries<string>(headers).filter(([name]) => name.startsWith('hook-')));
  await fetch(url, { method: 'POST', headers: own, body });
}

it('shows each webhook with its headers and whether its signature is genuine', async () => {
  await subscribe();
  const [post] = await change(1);
  expect(post).toMatchObject({ verdict: 'verified', answered: 204, headers: { 'content-type': 'application/json' } });
  expect(post.headers['hook-signature']).toMatch(/^v1,/);
  expect(JSON.parse(post.body)).toMatchObject({ eventType: 'calendar.event.changed' });
  await replay({ ...post, body: `${post.body} ` });
  await demo.dev.clock.advance(6 * 60_000);
  await replay(post);
  const after = (await control('GET', `/inbox?after=${post.number}`)).body.posts;
  expect(after.map(({ verdict }: Anything) => verdict)).toEqual(['wrong-signature', 'too-old']);
});

it('fails as often as it is told, and then takes the same message', async () => {
  await subscribe();
  await control('PUT', '/inbox/answer', { status: 500, times: 2 });
  const posts = await change(3);
  expect(posts.map(({ answered }) => answered)).toEqual([500, 500, 204]);
  expect(new Set(posts.map(({ headers }) => headers['hook-id'])).size).toBe(1);
  await control('PUT', '/inbox/answer', { status: 503, times: 9 });
  expect((await control('DELETE', '/inbox/answer')).body.failure).toBeNull();
});

it('knows its secrets after a restart', async () => {
  await subscribe();
  const [post] = await change(1);
  await demo.stop();
  await start();
  await replay(post);
  expect((await control('GET', '/inbox')).body.posts).toMatchObject([{ verdict: 'verified' }]);
});

it.each([
  ['POST', '/inbox/secrets', { secret: 'hush' }, 'secret'],
  ['PUT', '/inbox/answer', { status: 99, times: 1 }, 'status'],
  ['PUT', '/inbox/answer', { status: 500, times: 0 }, 'times'],
])('refuses %s %s with %j', async (method, path, body, field) => {
  const answer = await control(method, path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.details.map((detail: Anything) => detail.path)).toContain(field);
});
