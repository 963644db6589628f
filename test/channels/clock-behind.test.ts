import { expect, onTestFinished, test } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';

const BEHIND_MS = 10_000;
const COOL_DOWN_MS = 60_000;

test('a process whose clock is behind renews a channel as soon as a cool-down is over by the clock of the storage', async () => {
  const composed = await openComposedEngine();
  const { clock, storage, fake, applicationId } = composed;
  fake.renewsInPlace = true;
  const accountId = await composed.connect();
  await composed.engine.services.subscriptions.create(composed.caller, accountId, {
    calendarId: 'primary',
    webhookUrl: 'https://hooks.invalid/a',
  });
  const key = { applicationId, accountId, calendarId: 'primary' };
  const [row] = await storage.channels.list(key);
  await storage.channels.update(applicationId, row!.id, { renewAt: clock.now() });
  await storage.schedule.coolDown(key, COOL_DOWN_MS);
  const stopping = new AbortController();
  const behind = composed.process({ clock: { ...clock, now: () => clock.now() - BEHIND_MS } });
  const running = behind.channels.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
  const pass = async (ms: number) => {
    await clock.advance(ms);
    for (let turn = 0; turn < 40; turn += 1) await clock.advance(0);
  };
  for (let passed = 0; passed < COOL_DOWN_MS; passed += 5_000) {
    expect(fake.calls).not.toContain('push.renew');
    await pass(5_000);
  }
  await pass(BEHIND_MS / 2);
  expect(fake.calls).toContain('push.renew');
});
