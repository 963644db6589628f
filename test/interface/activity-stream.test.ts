import { manualClock } from '@kalends/conformance';
import type { Handler } from '@kalends/http';
import { afterEach, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, adminOf } from './admin-world.ts';
import { MOUNTS } from './mounted.ts';
import { createWorld, type Json, type World } from './world.ts';

const HEADERS = { authorization: `Bearer ${ADMIN_TOKEN}` };

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** A world whose administration has a clock of the test. */
async function open() {
  const clock = manualClock();
  const stopping = new AbortController();
  const world = await createWorld({}, { background: false });
  ended.push(() => world.close());
  const { handler } = adminOf(world, { token: ADMIN_TOKEN, clock, stopping: stopping.signal });
  return { world, handler, clock, stopping };
}

/** One event, or a comment or the pause, of a stream. */
interface Block {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Json;
  readonly text: string;
}

/** Reads the blocks of a stream one by one; undefined at its end. */
function reader(response: Response) {
  const chunks = (response.body ?? expect.fail('no body')).pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const next = async (): Promise<Block | undefined> => {
    for (;;) {
      const end = rest.indexOf('\n\n');
      if (end >= 0) {
        const text = rest.slice(0, end);
        rest = rest.slice(end + 2);
        return blockOf(text);
      }
      const { done, value } = await chunks.read();
      if (done) return rest === '' ? undefined : expect.fail(`a torn block: ${rest}`);
      rest += value;
    }
  };
  return { next, cancel: () => chunks.cancel() };
}

function blockOf(text: string): Block {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
  const data = field('data');
  return { id: field('id'), event: field('event'), data: data && JSON.parse(data), text };
}

async function follow(handler: Handler, search = ''): Promise<ReturnType<typeof reader> & { response: Response }> {
  const response = await handler(new Request(`http://kalends.test/admin/v1/activity${search}`, { headers: HEADERS }));
  expect(response.status).toBe(200);
  const stream = reader(response);
  expect(await stream.next()).toMatchObject({ text: 'retry: 2000' });
  return { ...stream, response };
}

/** Makes an entry of the audit log, and so an activity. */
const act = ({ engine, applicationId }: World, name: string, app = applicationId) =>
  engine.applications.update(app, { name });

describe('the stream of the activity', () => {
  it('has the head of a stream that no proxy holds back', async () => {
    const { handler } = await open();
    const { response, cancel } = await follow(handler);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
    await cancel();
  });

  it('brings each activity with its place, its type and itself', async () => {
    const { world, handler } = await open();
    const { next, cancel } = await follow(handler);
    await act(world, 'One');
    await act(world, 'Two');
    const { applicationId } = world;
    for (const id of ['1', '2']) {
      const data = { type: 'audit.written', applicationId, action: 'application.updated', target: applicationId };
      expect(await next()).toMatchObject({ id, event: 'audit.written', data });
    }
    await cancel();
  });

  it('brings what happens from the answer on, read or not', async () => {
    const { world, handler } = await open();
    const response = await handler(new Request('http://kalends.test/admin/v1/activity', { headers: HEADERS }));
    await act(world, 'Before the first read');
    const { next, cancel } = reader(response);
    expect([(await next())?.text, (await next())?.event]).toEqual(['retry: 2000', 'audit.written']);
    await cancel();
  });

  it('is that of one application, or of some types', async () => {
    const { world, handler } = await open();
    const { id: other } = await world.engine.applications.create({ name: 'Other' });
    const ofOther = await follow(handler, `?applicationId=${other}`);
    const ofTypes = await follow(handler, '?types=pull.ended,account.status.changed');
    await act(world, 'Not shown');
    await act(world, 'Shown', other);
    await world.call('POST', '/v1/endUserAccounts', {
      body: { email: 'ada@google.example', providerType: 'PROVIDER_A', refreshToken: mailboxOf(world) },
    });
    expect(await ofOther.next()).toMatchObject({ data: { applicationId: other, target: other } });
    expect(await ofTypes.next()).toMatchObject({ event: 'account.status.changed', data: { status: 'ACTIVE' } });
    for (const stream of [ofOther, ofTypes]) await stream.cancel();
  });

  it.each([
    ['?types=pull.ended,pulls', 400, 'types', /^must be types separated by commas, of notification\.received, /],
    ['?types=', 400, 'types', /^must be types separated by commas/],
    ['?type=pull.ended', 400, 'type', /^is not a known field$/],
    ['?applicationId=', 400, 'applicationId', /^must not be empty$/],
  ])('refuses %s and names the field', async (search, status, path, message) => {
    const { world } = await open();
    const answer = await adminOf(world).call('GET', `/activity${search}`);
    expect([answer.status, answer.body.details]).toEqual([status, [{ path, message: expect.stringMatching(message) }]]);
  });

  it('is refused for an unknown application, and for anybody without the token', async () => {
    const { world } = await open();
    const { call } = adminOf(world);
    expect((await call('GET', '/activity?applicationId=app_unknown')).body.code).toBe('NotFound');
    expect((await call('GET', '/activity', { token: null })).status).toBe(401);
  });

  it('comments every 15 seconds without an activity, and not before', async () => {
    const { world, handler, clock } = await open();
    const { next, cancel } = await follow(handler);
    await clock.advance(14_999);
    await act(world, 'One');
    expect((await next())?.event).toBe('audit.written');
    const beat = next();
    await clock.advance(14_999);
    expect(await Promise.race([beat, 'nothing'])).toBe('nothing');
    await clock.advance(1);
    expect((await beat)?.text).toBe(': heartbeat');
    await cancel();
  });

  it('ends after an hour, so that its reader shows its credentials again', async () => {
    const { handler, clock } = await open();
    const { next } = await follow(handler);
    let beats = 0;
    for (;;) {
      const block = next();
      await clock.advance(15_000);
      if ((await block) === undefined) break;
      beats += 1;
    }
    expect(beats).toBe(3_600_000 / 15_000);
  });

  it('loses the oldest activities of a slow reader, and says how many', async () => {
    const { world, handler } = await open();
    // A reader such as the one below would read ahead.
    const response = await handler(new Request('http://kalends.test/admin/v1/activity', { headers: HEADERS }));
    for (let number = 1; number <= 1_007; number += 1) await act(world, `Name ${number}`);
    const { next, cancel } = reader(response);
    expect((await next())?.text).toBe('retry: 2000');
    const lost = { type: 'activities.lost', lost: 7 };
    expect(await next()).toMatchObject({ id: undefined, event: 'activities.lost', data: lost });
    for (let id = 8; id <= 1_007; id += 1) expect((await next())?.id).toBe(String(id));
    await act(world, 'Caught up');
    expect(await next()).toMatchObject({ id: '1008', event: 'audit.written' });
    await cancel();
  });

  it('ends behind its last event when the server begins to stop, and at once for one that comes later', async () => {
    const { world, handler, stopping } = await open();
    const { next } = await follow(handler);
    await act(world, 'Last');
    stopping.abort();
    expect((await next())?.event).toBe('audit.written');
    expect(await next()).toBeUndefined();
    const late = await follow(handler);
    expect(await late.next()).toBeUndefined();
  });

  it('ends with the engine', async () => {
    const { world, handler } = await open();
    const { next } = await follow(handler);
    await world.engine.stop();
    expect(await next()).toBeUndefined();
  });

  it('answers HEAD with its head, and listens to nothing for it', async () => {
    const { handler, clock } = await open();
    const response = await handler(
      new Request('http://kalends.test/admin/v1/activity', { method: 'HEAD', headers: HEADERS }),
    );
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/event-stream',
      '',
    ]);
    expect(clock.sleeping).toBe(0);
  });
});

describe.each(MOUNTS)('at %s', (_, mount) => {
  it('each activity arrives at once, and a reader that leaves is forgotten', async () => {
    const { world, handler, clock } = await open();
    const mounted = await mount(handler);
    ended.push(() => mounted.close());
    const leaving = new AbortController();
    const response = await fetch(`${mounted.base}/admin/v1/activity`, { headers: HEADERS, signal: leaving.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const { next } = reader(response);
    expect((await next())?.text).toBe('retry: 2000');
    for (const name of ['One', 'Two', 'Three']) {
      await act(world, name);
      // No clock moves: what arrives was not held back for more.
      expect((await next())?.event).toBe('audit.written');
    }
    expect(clock.sleeping).toBe(1);
    leaving.abort();
    while (clock.sleeping > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('ends with the server, which needs not wait for its readers', async () => {
    const { handler, stopping } = await open();
    const mounted = await mount(handler);
    const { next } = reader(await fetch(`${mounted.base}/admin/v1/activity`, { headers: HEADERS }));
    expect((await next())?.text).toBe('retry: 2000');
    const closed = new Promise((resolve) => mounted.server.close(resolve));
    stopping.abort();
    expect(await next()).toBeUndefined();
    mounted.server.closeIdleConnections();
    await closed;
    await mounted.close().catch(() => undefined);
  });
});

function mailboxOf({ sandbox, refreshToken }: World): string {
  sandbox.google.addMailbox({ email: 'ada@google.example', name: 'Ada', timeZone: 'Europe/Berlin' });
  return refreshToken('google', 'ada@google.example');
}
