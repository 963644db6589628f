import type { DataKeyKind, Storage } from 'kalends/ports';
import { systemRandom } from 'kalends/runtime';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { composeEngine } from '../../src/compose-engine.ts';
import { keepKeysCurrent } from '../../src/data-keys/keep-keys-current.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { tokensOf } from '../accounts/tokens-of.ts';
import { newDatabase } from '../storages/new-database.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { localSealer } from './local-sealer.ts';

const OLD = Buffer.alloc(32, 21).toString('base64');
const NEW = Buffer.alloc(32, 22).toString('base64');
const FOREIGN = Buffer.alloc(32, 23).toString('base64');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Secrets {
  readonly secret: string;
  readonly previousSecrets?: readonly string[];
}

/** An engine with the earlier secret, which knows the next one already: the first round of a change of secrets. */
const openOldEngine = (database?: string) =>
  openComposedEngine({ secret: OLD, previousSecrets: [NEW], webhooks: { allowedNetworks: ['127.0.0.0/8'] } }, database);

/** Another process on the engine's storage, with secrets of its own. */
function processWith({ storage, fake, clock }: ComposedEngine, secrets: Secrets, through: Storage = storage) {
  return composeEngine(
    resolveOptions({
      storage: through,
      providers: { FAKE: fake.provider, OTHER: fake.provider },
      webhooks: { allowedNetworks: ['127.0.0.0/8'] },
      clock,
      random: systemRandom,
      ...secrets,
    }),
  );
}

const BETWEEN = { secret: NEW, previousSecrets: [OLD] };

/** The storage, with something that happens between the listing of a kind's first data key and its replacement. */
function interrupted(
  storage: Storage,
  happenings: { readonly [Kind in DataKeyKind]?: () => Promise<unknown> },
): Storage {
  const left = new Map(Object.entries(happenings));
  const replace: Storage['dataKeys']['replace'] = async (row, wrappedKey) => {
    const happen = left.get(row.kind);
    left.delete(row.kind);
    await happen?.();
    return storage.dataKeys.replace(row, wrappedKey);
  };
  return { ...storage, dataKeys: { ...storage.dataKeys, replace } };
}

/** Adds endpoints whose secrets are never used. */
async function addEndpoints({ storage, applicationId }: ComposedEngine, count: number): Promise<void> {
  const sealer = localSealer(OLD);
  for (let index = 0; index < count; index += 1) {
    const id = `whe_${index}`;
    const wrappedKey = await sealer.createKey(`${applicationId}/${id}`);
    const state = { previousSecret: null, rateLimit: null, disabledAt: null, failingSince: null };
    const times = { createdAt: 1, updatedAt: 1 };
    const url = 'https://tenant.test/hook';
    await storage.endpoints.insert({ id, applicationId, url, wrappedKey, sealedSecret: '', ...state, ...times });
  }
}

describe('rewrapping', () => {
  it('leaves nothing that an engine without the earlier secret could not open', async () => {
    const composed = await openOldEngine();
    const receiver = await openReceiver();
    const accountId = await composed.connect();
    const { services } = composed.engine;
    const subscription = await services.subscriptions.create(composed.caller, accountId, {
      calendarId: 'primary',
      webhookUrl: receiver.url,
    });
    const { webhookEndpointId } = await services.webhookEndpoints.create(composed.caller, { webhookUrl: receiver.url });
    await services.webhookEndpoints.rotateSecret(composed.caller, webhookEndpointId);

    const later = processWith(composed, { secret: NEW });
    expect(await failureOf(later.services.accounts.getCredentials(composed.caller, accountId))).toMatchObject({
      code: 'InternalError',
    });
    const rotated = processWith(composed, BETWEEN).services.dataKeys;
    expect(await rotated.rewrap()).toEqual({ rewrapped: 4, current: 0, unopened: 0, unopenedKeys: [] });
    expect(await rotated.rewrap()).toMatchObject({ rewrapped: 0, current: 4 });

    expect(await later.services.accounts.getCredentials(composed.caller, accountId)).toMatchObject({
      refreshToken: 'rt-ada@example.com',
    });
    // The client secret is needed for the next one.
    await composed.clock.advance(2 * HOUR);
    const refreshed = await tokensOf(later.services.accounts.getCredentials(composed.caller, accountId));
    expect(Date.parse(refreshed.expiresAt)).toBeGreaterThan(composed.clock.now());

    const stopping = new AbortController();
    const running = later.dispatcher.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await running;
      await later.sender.close();
    });
    const message = {
      eventType: 'calendar.event.changed',
      timestamp: composed.clock.now(),
      messageId: 'msg_1',
    } as const;
    const target = { applicationId: composed.applicationId, targetId: subscription.webhookSubscriptionId };
    await composed.storage.outbox.enqueue({ ...target, ...message });
    for (let step = 0; step < 500 && receiver.received.length === 0; step += 1) await composed.clock.advance(100);
    const [{ headers, body } = expect.fail('nothing was delivered')] = receiver.received;
    const sentAt = new Date(Number(headers['hook-timestamp']) * 1000);
    const expected = new Webhook(subscription.endpointSecret).sign(String(headers['hook-id']), sentAt, body);
    expect(headers['hook-signature']).toBe(expected);
  });

  it('neither loses nor undoes a token that is refreshed meanwhile', async () => {
    const composed = await openOldEngine();
    const { fake, clock, caller, applicationId } = composed;
    fake.rotates = true;
    const accountId = await composed.connect();
    await clock.advance(2 * HOUR);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const decided = new Promise<void>((resolve) => {
      fake.wayBack = () => {
        resolve();
        return answered;
      };
    });
    const session = composed.engine.access.session(await composed.engine.access.get(applicationId, accountId));
    const refreshing = session.accessToken();
    await decided;
    const report = await processWith(composed, BETWEEN).services.dataKeys.rewrap();
    expect(report).toMatchObject({ rewrapped: 2, unopened: 0 });
    answer();
    const accessToken = await refreshing;
    const later = processWith(composed, { secret: NEW }).services.accounts;
    const stored = await tokensOf(later.getCredentials(caller, accountId));
    expect(stored.accessToken).toBe(accessToken);
    expect([...fake.grants.keys()]).toEqual([stored.refreshToken]);
  });

  it('wraps the key that a reconnection has just put in the place of the one it read', async () => {
    const composed = await openOldEngine();
    const accountId = await composed.connect();
    const credential = () => {
      composed.fake.grant('rt-new', 'ada@example.com');
      const body = { email: 'ada@example.com', providerType: 'FAKE', refreshToken: 'rt-new' };
      return composed.engine.services.accounts.upsert(composed.caller, body);
    };
    const client = () =>
      composed.engine.services.oauthClients.set(composed.applicationId, 'FAKE', {
        clientId: 'client',
        clientSecret: 'another',
      });
    const { dataKeys } = processWith(composed, BETWEEN, interrupted(composed.storage, { credential, client })).services;
    expect(await dataKeys.rewrap()).toMatchObject({ rewrapped: 2, current: 0, unopened: 0 });
    const later = processWith(composed, { secret: NEW });
    expect(await later.services.accounts.getCredentials(composed.caller, accountId)).toMatchObject({
      refreshToken: 'rt-new',
    });
    await composed.clock.advance(2 * HOUR);
    // A refresh opens the client secret.
    await later.services.accounts.getCredentials(composed.caller, accountId);
    expect(await later.services.dataKeys.rewrap()).toMatchObject({ rewrapped: 0, current: 2 });
  });

  it('is one entry of the audit log for each pass that rewrapped keys, an interrupted one too', async () => {
    const composed = await openOldEngine();
    await composed.connect();
    const { dataKeys, audit } = processWith(composed, BETWEEN).services;
    const stopping = new AbortController();
    const interruption = { signal: stopping.signal, progress: () => stopping.abort() };
    await failureOf(dataKeys.rewrap(interruption, { type: 'command', id: 'root' }));
    await composed.clock.advance(1);
    expect(await dataKeys.rewrap()).toMatchObject({ rewrapped: 1 });
    expect(await dataKeys.rewrap()).toMatchObject({ rewrapped: 0 });
    const { data } = await audit.list({ action: 'secrets.rewrapped' });
    expect(data.map(({ actor: { type, id }, applicationId, target }) => [type, id, applicationId, target])).toEqual([
      ['embedded', null, null, expect.stringMatching(/^local:[\w-]{8}$/)],
      ['command', 'root', null, expect.stringMatching(/^local:[\w-]{8}$/)],
    ]);
  });

  it('passes over what is removed meanwhile', async () => {
    const composed = await openOldEngine();
    const accountId = await composed.connect();
    const credential = () => composed.engine.services.accounts.delete(composed.caller, accountId);
    const { dataKeys } = processWith(composed, BETWEEN, interrupted(composed.storage, { credential })).services;
    expect(await dataKeys.rewrap()).toEqual({ rewrapped: 1, current: 0, unopened: 0, unopenedKeys: [] });
  });

  it('goes through all pages, tells how far it is, and shares the work among those who do it at once', async () => {
    const composed = await openOldEngine();
    await addEndpoints(composed, 250);
    const seen: number[] = [];
    const [one, other] = await Promise.all([
      processWith(composed, BETWEEN).services.dataKeys.rewrap({
        progress: ({ rewrapped, current }) => seen.push(rewrapped + current),
      }),
      processWith(composed, BETWEEN).services.dataKeys.rewrap(),
    ]);
    expect(one.rewrapped + other.rewrapped).toBe(251);
    expect([one.rewrapped + one.current, other.rewrapped + other.current]).toEqual([251, 251]);
    expect(seen).toEqual([1, 101, 201, 251]);
  });

  it('goes on behind what it cannot open, and says whose that is', async () => {
    const composed = await openOldEngine();
    const accountId = await composed.connect();
    await addEndpoints(composed, 60);
    const report = await processWith(composed, { secret: FOREIGN }).services.dataKeys.rewrap();
    expect(report).toMatchObject({ rewrapped: 0, current: 0, unopened: 62 });
    expect(report.unopenedKeys).toHaveLength(50);
    const reason = expect.stringContaining('sealed under a secret that is not configured');
    const { applicationId } = composed;
    expect(report.unopenedKeys.slice(0, 3)).toEqual([
      { applicationId, providerType: 'FAKE', reason },
      { applicationId, accountId, reason },
      { applicationId, targetId: 'whe_0', reason },
    ]);
    expect(await processWith(composed, BETWEEN).services.dataKeys.rewrap()).toMatchObject({
      rewrapped: 62,
      unopened: 0,
    });
  });

  it('can be broken off, and taken up again', async () => {
    const composed = await openOldEngine();
    await addEndpoints(composed, 150);
    const { dataKeys } = processWith(composed, BETWEEN).services;
    const stopping = new AbortController();
    const progress = ({ rewrapped }: { readonly rewrapped: number }) => {
      if (rewrapped > 100) stopping.abort(new Error('enough'));
    };
    await expect(dataKeys.rewrap({ signal: stopping.signal, progress })).rejects.toThrow('enough');
    expect(await dataKeys.rewrap()).toMatchObject({ rewrapped: 50, current: 101 });
  });
});

describe('in the background', () => {
  it('keys are wrapped at once, looked at again within the hour, then daily, and the log is told once', async () => {
    const composed = await openOldEngine(await newDatabase('sqlite'));
    await composed.connect();
    await addEndpoints(composed, 150);
    const lines: { readonly level: string; readonly message: string; readonly fields: unknown }[] = [];
    const writer = (level: string) => (message: string, fields?: unknown) =>
      void lines.push({ level, message, fields });
    const logger = { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
    let looks = 0;
    const { dataKeys } = processWith(composed, BETWEEN).services;
    const counted: Pick<typeof dataKeys, 'rewrap'> = {
      rewrap(...options) {
        looks += 1;
        return dataKeys.rewrap(...options);
      },
    };
    const stopping = new AbortController();
    const runtime = { clock: composed.clock, logger, random: systemRandom };
    const ended = failureOf(keepKeysCurrent(counted, runtime, stopping.signal));
    await composed.clock.advance(1_000);
    const told = {
      level: 'info',
      message:
        'all data keys are wrapped by the current keyring; API keys, feed addresses and booking tokens may still need previous secrets (Key rotation in docs/operating.md)',
      fields: expect.anything(),
    };
    expect(lines).toEqual([{ ...told, fields: { rewrapped: 152, current: 0, unopened: 0 } }]);
    await composed.clock.advance(1.2 * HOUR);
    expect(looks).toBe(2);
    await composed.clock.advance(20 * HOUR);
    // A process that has only the earlier secret connects.
    await composed.connect('eve@example.com');
    await composed.clock.advance(1.2 * DAY);
    expect(lines.slice(1)).toEqual([{ ...told, fields: { rewrapped: 1, current: 152, unopened: 0 } }]);
    const { data } = await composed.engine.services.audit.list({ action: 'secrets.rewrapped' });
    expect(data.map(({ actor }) => actor.type)).toEqual(['system', 'system']);
    stopping.abort(new Error('over'));
    expect(await ended).toMatchObject({ message: 'over' });
  });

  it('keys that cannot be opened are told as errors, by ids and without secrets', async () => {
    const composed = await openOldEngine();
    const accountId = await composed.connect();
    const lines: string[] = [];
    const errors: unknown[] = [];
    const write = (message: string, fields?: unknown) => void lines.push(`${message} ${JSON.stringify(fields)}`);
    const error = (message: string, fields?: unknown) => {
      write(message, fields);
      errors.push(fields);
    };
    const logger = { debug: write, info: write, warn: write, error };
    const stopping = new AbortController();
    const { dataKeys } = processWith(composed, { secret: FOREIGN, previousSecrets: [NEW] }).services;
    const runtime = { clock: composed.clock, logger, random: systemRandom };
    const ended = failureOf(keepKeysCurrent(dataKeys, runtime, stopping.signal));
    await composed.clock.advance(1_000);
    const { applicationId } = composed;
    expect(errors).toMatchObject([
      { applicationId, providerType: 'FAKE' },
      { applicationId, accountId },
    ]);
    expect(lines.join('\n')).not.toMatch(/example\.com|rt-ada|hush|"1\./);
    stopping.abort(new Error('over'));
    await ended;
  });
});
