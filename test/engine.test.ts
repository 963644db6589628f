import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type EngineOptions, KalendsError } from 'kalends';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fakeProvider } from './accounts/fake-provider.ts';

const clock = manualClock();
const { provider } = fakeProvider(() => clock.now());

function options(overrides: Record<string, unknown> = {}): EngineOptions {
  return {
    storage: sqlite({ path: ':memory:', clock }),
    providers: { FAKE: provider },
    secret: Buffer.alloc(32, 1).toString('base64'),
    clock,
    ...overrides,
  };
}

describe('the options of createEngine', () => {
  it.each([
    ['storage', { storage: undefined }, 'is required'],
    ['providers', { providers: undefined }, 'must have at least one provider'],
    ['providers', { providers: {} }, 'must have at least one provider'],
    ['providers.google', { providers: { google: provider } }, 'must be named by upper-case letters'],
    ['providers.A-B', { providers: { 'A-B': provider } }, 'must be named by upper-case letters'],
    ['secret', { secret: undefined }, 'must be a text of at least 32 bytes'],
    ['secret', { secret: 'c2hvcnQ=' }, 'must have at least 32 bytes, has 5'],
    ['previousSecrets.0', { previousSecrets: ['nope!'] }, 'must be base64 or hex'],
    ['secret', { secret: ' ' }, 'is empty; set it to the output of: openssl rand -base64 32'],
    ['publicURL', { publicURL: 'https://calendar.example' }, 'is not an option; did you mean publicUrl?'],
    ['sync.pollMs', { sync: { pollMs: 5 } }, 'is not an option; the options are freshWithPushMs, '],
    [
      'webhooks.allowNetworks',
      { webhooks: { allowNetworks: [] } },
      'is not an option; the options are allowedNetworks, timeoutMs',
    ],
    ['webhooks', { webhooks: 'https://receiver.example' }, 'must be an object of options'],
    ['storage', { storage: 'kalends.db' }, 'must be a storage, such as sqlite({ path })'],
    ['providers.GOOGLE', { providers: { GOOGLE: () => ({}) } }, 'must be a provider, such as google()'],
    ['publicUrl', { publicUrl: 'calendar.example' }, 'must be an absolute http or https URL'],
    ['publicUrl', { publicUrl: 'ftp://calendar.example' }, 'must be an absolute http or https URL'],
    ['publicUrl', { publicUrl: 'https://calendar.example/?a=b' }, 'must be an absolute http or https URL'],
    ['environment', { environment: 'Live' }, 'must be 1 to 16 lower-case letters and digits'],
    ['webhooks.timeoutMs', { webhooks: { timeoutMs: 0 } }, 'must be more than 0'],
    ['webhooks.allowedNetworks.0', { webhooks: { allowedNetworks: ['localhost'] } }, 'must be a network in CIDR form'],
    ['previousSecrets', { previousSecrets: 'text' }, 'must be a list'],
    ['previousSecrets', { previousSecrets: null }, 'must be a list'],
    ['lostKeyIds', { lostKeyIds: 'abcdefgh' }, 'must be a list'],
    ['keyring', { keyring: {} }, 'must be a keyring'],
    ['keyring', { keyring: null }, 'must be a keyring'],
    ['previousKeyrings', { previousKeyrings: {} }, 'must be a list'],
    ['previousKeyrings.0', { previousKeyrings: [{ id: 'a', keyIds: [] }] }, 'must be a keyring'],
    ['webhooks.allowedNetworks', { webhooks: { allowedNetworks: '127.0.0.0/8' } }, 'must be a list'],
    ['providerBudgets', { providerBudgets: null }, 'must be an object of budgets by provider'],
    ['providerBudgets', { providerBudgets: 5 }, 'must be an object of budgets by provider'],
    ['hostChecks', { hostChecks: {} }, 'must be a list'],
    ['hostChecks', { hostChecks: () => [] }, 'must be a list'],
    ['hostChecks.0', { hostChecks: [() => 1] }, 'must be an object with check, the name of its finding, and'],
    ['providers.A', { providers: { A: {} } }, 'must be a provider, such as google(), but has no authorization'],
    [
      'providers.A',
      { providers: { A: { ...provider, push: undefined } } },
      'must be a provider, such as google(), but has no push.open',
    ],
    [
      'providers.A',
      { providers: { A: { ...provider, push: null } } },
      'must be a provider, such as google(), but has no push.open',
    ],
    [
      'providers.A',
      { providers: { A: { ...provider, events: {} } } },
      'must be a provider, such as google(), but has no events.pull',
    ],
    [
      'providers.A',
      { providers: { A: { ...provider, calendars: { pull() {} } } } },
      'must be a provider, such as google(), but has no calendars.exists',
    ],
    ['storage', { storage: { open() {} } }, 'must be a storage, such as sqlite({ path })'],
    ['clock', { clock: {} }, 'must be an object with the functions now, sleep'],
    ['random', { random: Math.random }, 'must be an object with the functions bytes, fraction'],
    ['telemetry', { telemetry: {} }, 'must be an object with the functions count, observe'],
    ['logger', { logger: { error() {} } }, 'must be an object with the functions debug, info, warn, error'],
    [
      'logger',
      { logger: { ...console, bindings() {} } },
      'must take the message before the fields; wrap this one in fieldsFirst of kalends',
    ],
    [
      'logger',
      { logger: { ...console, addStream() {} } },
      'must take the message before the fields; wrap this one in fieldsFirst of kalends',
    ],
    ['sync.readWaitMs', { sync: { readWaitMs: Number.NaN } }, 'must be more than 0'],
  ])('%s: %j is refused', (path, overrides, rule) => {
    let failure: unknown;
    try {
      createEngine(options(overrides));
    } catch (error) {
      failure = error;
    }
    expect(KalendsError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ code: 'InvalidRequest', details: [{ path }] });
    expect((failure as Error).message).toContain(`${path}: ${rule}`);
  });

  it('have defaults for all the rest', () => {
    const engine = createEngine({
      storage: sqlite({ path: ':memory:' }),
      providers: { GOOGLE: provider, MICROSOFT: provider },
      secret: 'ab'.repeat(32),
    });
    expect(engine.providerTypes).toEqual(['GOOGLE', 'MICROSOFT']);
  });
});

describe('an engine', () => {
  it('starts once, works, and stops for good', async () => {
    const engine = createEngine(options());
    await Promise.all([engine.start(), engine.start()]);
    await engine.start();
    const { id } = await engine.applications.create({ name: 'Test' });
    expect(await engine.applications.find(id)).toMatchObject({ name: 'Test' });
    await Promise.all([engine.stop(), engine.stop()]);
    await engine.stop();
    await expect(engine.start()).rejects.toThrow('has been stopped');
  });

  it('stops without having been started', async () => {
    await createEngine(options()).stop();
  });

  it('refuses background work after a start without it', async () => {
    const engine = createEngine(options());
    await engine.start({ background: false });
    await expect(engine.start()).rejects.toThrow('was started without background work');
    await engine.start({ background: false });
    await engine.stop();
  });

  it('works on where its logger fails', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    const fail = () => {
      throw new Error('the pipe is broken');
    };
    const storage = sqlite({ path: ':memory:', clock });
    let failures = 0;
    const claimDueAccounts = async () => {
      failures += 1;
      throw new Error('no');
    };
    const logger = { debug: fail, info: fail, warn: fail, error: fail };
    const schedule = { ...storage.schedule, claimDueAccounts };
    const engine = createEngine(options({ storage: { ...storage, schedule }, logger }));
    await engine.start();
    while (failures < 2) await clock.advance(1_000);
    await engine.stop();
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('the pipe is broken'), 'KalendsWarning');
  });

  it('starts after the database has come up', async () => {
    const storage = sqlite({ path: ':memory:', clock });
    let isUp = false;
    const open = () => (isUp ? storage.open() : Promise.reject(new Error('connection refused')));
    const engine = createEngine(options({ storage: { ...storage, open } }));
    await expect(engine.start()).rejects.toThrow('connection refused');
    isUp = true;
    await engine.start();
    expect(await engine.applications.list()).toMatchObject({ data: [] });
    await engine.stop();
  });

  it('keeps house: marks of used states are removed', async () => {
    const storage = sqlite({ path: ':memory:', clock });
    const engine = createEngine(options({ storage }));
    await engine.start();
    await storage.usedStates.mark('state', clock.now());
    for (let hours = 0; hours < 3; hours += 1) await clock.advance(3_600_000);
    expect(await storage.usedStates.purge(clock.now())).toBe(0);
    await engine.stop();
  });
});
