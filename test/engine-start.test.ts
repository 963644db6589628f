import { manualClock } from '@kalends/conformance';
import { createHandler } from '@kalends/http';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine, KalendsError } from 'kalends';
import type { Storage } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SERVICE_EFFECTS } from '../src/service-effects.ts';
import { SERVICE_TEXTS } from '../src/service-texts.ts';
import { fakeProvider } from './accounts/fake-provider.ts';
import { gate } from './regression/intercepted-world.ts';

const NOT_STARTED = {
  code: 'InternalError',
  status: 503,
  message: 'The engine has not been started: await engine.start().',
  retryAfterMs: 1_000,
};

type Method = (...parameters: unknown[]) => Promise<unknown>;

function engineOn(storage: Storage, clock = manualClock()): Engine {
  const { provider } = fakeProvider(() => clock.now());
  const secret = Buffer.alloc(32, 1).toString('base64');
  const engine = createEngine({ storage, providers: { FAKE: provider }, secret, clock });
  onTestFinished(() => engine.stop());
  return engine;
}

describe('before its start', () => {
  it('an engine says in every call that it has not been started', async () => {
    const engine = engineOn(sqlite({ path: ':memory:' }));
    const failed: string[] = [];
    for (const [service, methods] of Object.entries(SERVICE_TEXTS)) {
      for (const [method, names] of Object.entries(methods)) {
        const work = (engine[service as keyof Engine] as unknown as Record<string, Method>)[method];
        const first = service in SERVICE_EFFECTS ? { applicationId: 'app_1' } : 'app_1';
        const rest = Array.from({ length: Math.max(0, names.length - 1) }, () => 'x');
        const error: unknown = await work?.(first, ...rest, {}).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        // A call may refuse its input, or need no row; none may end in an error of the database.
        if (error === undefined || (KalendsError.isInstance(error) && error.status < 500)) continue;
        expect(error, `${service}.${method}`).toMatchObject(NOT_STARTED);
        failed.push(`${service}.${method}`);
      }
    }
    expect(failed).toEqual(expect.arrayContaining(['applications.get', 'accounts.list', 'events.list', 'holds.get']));
    expect(failed.length).toBeGreaterThan(40);
  });

  it('requests are answered 503, to be repeated', async () => {
    const handler = createHandler(engineOn(sqlite({ path: ':memory:' })));
    const headers = { 'x-api-key': 'kal_live_unknown' };
    const answer = await handler(new Request('http://kalends.test/v1/endUserAccounts', { headers }));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('a diagnosis is made', async () => {
    const engine = engineOn(sqlite({ path: ':memory:' }));
    expect(await engine.operations.diagnose()).toMatchObject({ status: 'failed' });
  });
});

it('lets calls wait for a start under way, and not for one that has failed', async () => {
  const storage = sqlite({ path: ':memory:' });
  const reached = gate();
  let isUp = false;
  const open = async () => {
    await reached.opened;
    if (!isUp) throw new Error('connection refused');
    await storage.open();
  };
  const engine = engineOn({ ...storage, open });
  const failing = engine.start();
  const early = engine.applications.list();
  reached.open();
  await expect(failing).rejects.toThrow('connection refused');
  await expect(early).rejects.toMatchObject(NOT_STARTED);
  isUp = true;
  const starting = engine.start();
  expect(await engine.applications.list()).toMatchObject({ data: [] });
  await starting;
});

describe('the options of start', () => {
  it.each([
    [{ backgroud: false }, 'backgroud', 'is not an option; the options are background'],
    [{ Background: false }, 'Background', 'is not an option; did you mean background?'],
    [{ background: 'no' }, 'background', 'must be true or false'],
    [{ background: null }, 'background', 'must be true or false'],
    [false, 'options', 'must be an object of options'],
    [null, 'options', 'must be an object of options'],
  ])('%j is refused, and starts nothing', async (given, path, rule) => {
    const engine = engineOn(sqlite({ path: ':memory:' }));
    await expect(engine.start(given as never)).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: expect.stringContaining(`${path}: ${rule}`),
      details: [{ path }],
    });
    await engine.start({ background: false });
  });

  it('may be left out, and undefined', async () => {
    const engine = engineOn(sqlite({ path: ':memory:' }));
    await engine.start({ background: undefined } as never);
    await engine.start();
  });
});
