import { ProviderError } from 'kalends/ports';
import { expect, it } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';

const DAY = 86_400_000;
const SECOND = 1_000;

/** Fails openings from now on, and returns when each was tried, in milliseconds from now. */
function failOpenings(composed: Awaited<ReturnType<typeof openComposedEngine>>) {
  const begin = composed.clock.now();
  const triedAt: number[] = [];
  Object.assign(composed.fake.provider.push, {
    open: async () => {
      triedAt.push(composed.clock.now() - begin);
      throw new ProviderError('unavailable', 'the connection broke');
    },
  });
  return triedAt;
}

// An opening that met a broken connection was tried again after a minute, while pushes were missed.
it('opens a channel some seconds after a connection broke, then once a minute', async () => {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  const body = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };
  await composed.engine.services.subscriptions.create(composed.caller, accountId, body);
  // The channel has ended, and has to be opened anew.
  await composed.clock.advance(8 * DAY);
  const triedAt = failOpenings(composed);

  const stopping = new AbortController();
  const running = composed.engine.channels.run(stopping.signal);
  for (let second = 0; second < 160; second += 1) {
    for (let turn = 0; turn < 10; turn += 1) await composed.clock.advance(0);
    await composed.clock.advance(SECOND);
  }
  stopping.abort();
  await running;

  const waits = triedAt.slice(1).map((at, index) => at - triedAt[index]!);
  expect(waits[0]).toBeGreaterThanOrEqual(4 * SECOND);
  expect(waits[0]).toBeLessThanOrEqual(7 * SECOND);
  expect(waits.length).toBeGreaterThanOrEqual(2);
  for (const wait of waits.slice(1)) expect(wait).toBeGreaterThanOrEqual(48 * SECOND);
});
