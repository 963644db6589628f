import { type IntervalSet, normalize, type Slot } from '../../free-busy/index.ts';
import type { YieldToEventLoop } from '../../runtime/index.ts';

/** Sorted in one go: about a millisecond. */
const BUFFERED = 2_000;

/** Merges slots as they come, in any order, so that it holds little more than what it will answer. */
export interface BusyCollector {
  /** Returns what to wait for before the next slot is added, if anything. */
  add(slot: Slot): Promise<void> | undefined;
  /** Returns the busy time, merged. */
  finish(): Promise<IntervalSet>;
}

/** Takes a turn with `yieldToEventLoop` for every slot that it touches. */
export function createBusyCollector(yieldToEventLoop: YieldToEventLoop): BusyCollector {
  let buffer: Slot[] = [];
  // Each at least twice as long as the next, so that a slot is merged a few times at most.
  const sets: IntervalSet[] = [];

  async function flush(): Promise<void> {
    const pause = yieldToEventLoop(buffer.length);
    if (pause !== undefined) await pause;
    let set = normalize(buffer);
    buffer = [];
    for (let below = sets.at(-1); below !== undefined && below.length < 2 * set.length; below = sets.at(-1)) {
      sets.pop();
      set = await mergeSets(below, set, yieldToEventLoop);
    }
    sets.push(set);
  }

  return {
    add(slot) {
      buffer.push(slot);
      return buffer.length < BUFFERED ? yieldToEventLoop() : flush();
    },
    async finish() {
      await flush();
      let set = sets.pop() ?? [];
      for (let below = sets.pop(); below !== undefined; below = sets.pop())
        set = await mergeSets(below, set, yieldToEventLoop);
      return set;
    },
  };
}

/** The union of two sets, in turns. */
async function mergeSets(a: IntervalSet, b: IntervalSet, yieldToEventLoop: YieldToEventLoop): Promise<IntervalSet> {
  const out: Slot[] = [];
  let i = 0;
  let j = 0;
  const take = () => {
    const ofA = a[i];
    const ofB = b[j];
    const isA = ofA !== undefined && (ofB === undefined || ofA.startMs <= ofB.startMs);
    if (isA) i += 1;
    else j += 1;
    return isA ? ofA : ofB;
  };
  for (let next = take(); next !== undefined; next = take()) {
    const last = out.at(-1);
    if (last === undefined || next.startMs > last.endMs) out.push(next);
    else if (next.endMs > last.endMs) out[out.length - 1] = { startMs: last.startMs, endMs: next.endMs };
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
  }
  return out;
}
