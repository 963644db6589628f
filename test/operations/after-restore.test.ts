import { StorageUnavailableError } from 'kalends/ports';
import { expect, it } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';

it('makes every collection due, also of accounts that wait for a reconnect, tells each subscriber once, and says so in the audit log', async () => {
  const composed = await openComposedEngine({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const { engine, storage, applicationId, caller, clock } = composed;
  const { services } = engine;
  const [ada, bob] = [await composed.connect('ada@example.com'), await composed.connect('bob@example.com')];
  const webhookUrl = 'http://127.0.0.1:8080/hook';
  const subscribe = (id: string) => services.subscriptions.create(caller, id, { calendarId: 'primary', webhookUrl });
  const subscriptions = [await subscribe(ada), await subscribe(bob)];
  await services.operations.expire(applicationId, bob);
  const stopping = new AbortController();
  const pulling = engine.pulls.run(stopping.signal);
  for (let step = 0; step < 50; step += 1) await clock.advance(100);
  stopping.abort();
  await pulling;
  const state = async (accountId: string) =>
    (await storage.schedule.list({ applicationId, accountId })).map(({ calendarId, dueAt }) => [calendarId, dueAt]);
  const [before, ofBob] = [await state(ada), await state(bob)];
  expect(ofBob.length).toBeGreaterThan(1);
  expect(before.some(([, dueAt]) => Number(dueAt) > clock.now())).toBe(true);

  const seen: unknown[] = [];
  const by = { type: 'command', id: 'operator', address: null } as const;
  const report = await services.operations.resumeAfterRestore({ progress: (each) => seen.push(each) }, by);
  expect(report).toEqual({ accounts: 2, calendars: before.length + ofBob.length - 2 });
  expect(seen.at(-1)).toEqual(report);
  for (const [, dueAt] of [...(await state(ada)), ...(await state(bob))]) {
    expect(Number(dueAt)).toBeLessThanOrEqual(clock.now());
  }

  const { data } = await services.audit.list({ action: 'restore.resumed' });
  expect(data).toMatchObject([{ applicationId: null, target: 'installation', actor: by }]);
  const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 });
  for (const { webhookSubscriptionId } of subscriptions) {
    const sent = claims.filter(({ target }) => target.id === webhookSubscriptionId);
    expect(sent.map(({ message }) => message.eventType)).toEqual(['calendar.event.unknown']);
  }
});

it('goes on past accounts whose database cannot serve them, names them by reason, and resumes them when it is repeated', async () => {
  const composed = await openComposedEngine();
  const { storage, applicationId, clock } = composed;
  const ids: string[] = [];
  for (let index = 0; index < 54; index += 1) {
    ids.push(await composed.connect(`mailbox-${index}@example.com`));
    // Accounts are listed by the times of their creation.
    await clock.advance(1);
  }
  const [first = '', lacking = '', ...others] = ids;
  const away = others.slice(0, 51);
  let isWell = false;
  const hint: typeof storage.schedule.hint = async (key) => {
    if (!isWell && key.accountId === lacking) throw new StorageUnavailableError('It lacks the account', undefined);
    if (!isWell && away.includes(key.accountId)) {
      // Of one database the words may differ from account to account.
      throw new StorageUnavailableError(`It is away: ${key.accountId}`, undefined, 'one');
    }
    return await storage.schedule.hint(key);
  };
  const { services } = composed.process({ storage: { ...storage, schedule: { ...storage.schedule, hint } } });
  const seen: unknown[] = [];
  const report = await services.operations.resumeAfterRestore({ progress: (each) => seen.push(each) });
  expect(report).toEqual({
    ...{ accounts: 2, calendars: 0 },
    failures: [
      { reason: 'It lacks the account', accounts: 1, accountIds: [lacking] },
      { reason: `It is away: ${away[0]}`, accounts: 51, accountIds: away.slice(0, 50) },
    ],
  });
  expect(seen.at(-1)).toEqual(report);
  const hintsOf = async (accountId: string) =>
    (await storage.schedule.get({ applicationId, accountId, calendarId: null })).hintSeq;
  const before = await Promise.all([first, others.at(-1) ?? '', lacking].map(hintsOf));
  isWell = true;
  expect(await services.operations.resumeAfterRestore()).toEqual({ accounts: 54, calendars: 0 });
  const after = await Promise.all([first, others.at(-1) ?? '', lacking].map(hintsOf));
  expect(after.map((seq, index) => seq - (before[index] ?? 0))).toEqual([1, 1, 1]);
  const { data } = await services.audit.list({ action: 'restore.resumed' });
  expect(data).toHaveLength(2);
});

it('fails when the whole database is away', async () => {
  const { storage, process, connect } = await openComposedEngine();
  await connect();
  const fail = async () => {
    throw new StorageUnavailableError('The database cannot be reached', undefined);
  };
  const broken = {
    ...storage,
    schedule: { ...storage.schedule, hint: fail },
    audit: { ...storage.audit, append: fail },
  };
  const { services } = process({ storage: broken });
  await expect(services.operations.resumeAfterRestore()).rejects.toThrow('The database cannot be reached');
});
