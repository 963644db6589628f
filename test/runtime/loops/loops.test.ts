import { manualClock, seededRandom } from '@kalends/conformance';
import { type Logger, StorageUnavailableError } from 'kalends/ports';
import { createWakeUp, type OutageTimeout, outageTimeoutReader, startLoop } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';

function recordingLogger() {
  const lines: string[] = [];
  const log = (message: string) => void lines.push(message);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  return { lines, logger };
}

describe('createWakeUp', () => {
  it('waits out its time on the clock', async () => {
    const clock = manualClock();
    const wakeUp = createWakeUp(clock);
    let done = false;
    const waiting = wakeUp.wait(1_000, new AbortController().signal).then(() => {
      done = true;
    });
    await clock.advance(999);
    expect(done).toBe(false);
    await clock.advance(1);
    await waiting;
  });

  it('is cut short by a notification, and remembers one that came before', async () => {
    const wakeUp = createWakeUp(manualClock());
    const { signal } = new AbortController();
    const waiting = wakeUp.wait(1_000, signal);
    wakeUp.notify();
    await waiting;
    wakeUp.notify();
    wakeUp.notify();
    await wakeUp.wait(1_000, signal);
  });

  it('rejects when aborted', async () => {
    const wakeUp = createWakeUp(manualClock());
    const stop = new AbortController();
    const waiting = wakeUp.wait(1_000, stop.signal);
    stop.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(wakeUp.wait(1, stop.signal)).rejects.toThrow('stop');
  });
});

describe('startLoop', () => {
  it('lets its work wait out an outage of the storage until it is stopped, and looks every few seconds whether that is over', async () => {
    const clock = manualClock();
    const { logger } = recordingLogger();
    const starts: number[] = [];
    const readTimeout = outageTimeoutReader();
    let timeout: OutageTimeout | undefined;
    const loop = startLoop(
      'test',
      async () => {
        starts.push(clock.now());
        timeout = readTimeout();
        throw new StorageUnavailableError('away', undefined);
      },
      { clock, logger, random: { bytes: seededRandom(1).bytes, fraction: () => 0.5 } },
    );
    for (let seconds = 0; seconds < 30; seconds += 1) await clock.advance(1_000);
    const waits = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]);
    expect(timeout).toMatchObject({ limitMs: 30_000 });
    expect(timeout?.signal?.aborted).toBe(false);
    await loop.stop();
    expect(timeout?.signal?.aborted).toBe(true);
    expect(readTimeout()).toBeUndefined();
  });

  it('lets any number of calls listen to its signal at the same time', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const runtime = { clock: manualClock(), logger: recordingLogger().logger, random: seededRandom(1) };
    const loop = startLoop(
      'test',
      async (signal) => {
        await Promise.allSettled(Array.from({ length: 50 }, () => runtime.clock.sleep(1_000, signal)));
      },
      runtime,
    );
    await new Promise((resolve) => setImmediate(resolve));
    await loop.stop();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('restarts failed work with a growing wait, and logs each failure', async () => {
    const clock = manualClock();
    const { lines, logger } = recordingLogger();
    const starts: number[] = [];
    const loop = startLoop(
      'test',
      async () => {
        starts.push(clock.now());
        throw new Error('no');
      },
      { clock, logger, random: { bytes: seededRandom(1).bytes, fraction: () => 0.5 } },
    );
    await clock.advance(7_000);
    await loop.stop();
    expect(starts.map((at) => at - starts[0]!)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(lines).toEqual(Array.from({ length: 4 }, () => 'background loop failed'));
  });

  it('stops by aborting the signal and waits for the end', async () => {
    const clock = manualClock();
    const { lines, logger } = recordingLogger();
    let ended = false;
    const loop = startLoop(
      'test',
      async (signal) => {
        await clock.sleep(60_000, signal).catch(() => undefined);
        ended = true;
      },
      { clock, logger, random: seededRandom(1) },
    );
    await clock.advance(1);
    await loop.stop();
    expect(ended).toBe(true);
    expect(lines).toEqual([]);
    await loop.stop();
  });
});
