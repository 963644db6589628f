import { onTestFinished } from 'vitest';
import type { ComposedEngine } from '../accounts/composed-engine.ts';

/** Runs the upkeep of channels until the test ends or the returned function is called. */
export function runUpkeep(composed: ComposedEngine, engine = composed.engine): () => Promise<void> {
  const stopping = new AbortController();
  const running = engine.channels.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  onTestFinished(stop);
  return stop;
}

/** Lets time pass, and the background work become idle before and after. */
export async function settle({ clock }: ComposedEngine, ms = 2_001): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await clock.advance(0);
  await clock.advance(ms);
  for (let turn = 0; turn < 40; turn += 1) await clock.advance(0);
}
