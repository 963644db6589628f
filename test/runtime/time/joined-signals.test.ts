import { getEventListeners } from 'node:events';
import { withJoinedSignals } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';

describe('work under joined signals', () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('is aborted by the first one, with its reason', async () => {
    const controllers = [new AbortController(), new AbortController()];
    const work = withJoinedSignals([undefined, ...controllers.map(({ signal }) => signal)], untilAborted);
    controllers[1]?.abort('the second');
    controllers[0]?.abort('the first, but later');
    await expect(work).rejects.toBe('the second');
  });

  it('begins aborted under one that is', async () => {
    const signals = [new AbortController().signal, AbortSignal.abort('before')];
    expect(await withJoinedSignals(signals, async ({ aborted, reason }) => ({ aborted, reason }))).toEqual({
      aborted: true,
      reason: 'before',
    });
  });

  it('leaves nothing at them in the end, be it good or bad', async () => {
    const { signal } = new AbortController();
    const during = await withJoinedSignals([signal], async () => getEventListeners(signal, 'abort').length);
    await expect(withJoinedSignals([signal], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect([during, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
  });
});
