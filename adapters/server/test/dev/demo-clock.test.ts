import { manualClock } from '@kalends/conformance';
import fc from 'fast-check';
import { nextTurn } from 'kalends/runtime';
import { expect, it } from 'vitest';
import { ClockTurningError, createDemoClock } from '../../src/dev/clock/demo-clock.ts';

const START = 1_000_000;
const HOUR = 3_600_000;

function open(options: { readonly offsetMs?: number } = {}) {
  const base = manualClock(START);
  const saved: number[] = [];
  const settle = async () => {
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  };
  const clock = createDemoClock({ base, offsetMs: 0, settle, save: (offsetMs) => saved.push(offsetMs), ...options });
  return { base, clock, saved };
}

/** Sleeps one after the other; the mark is written at each wake-up. */
interface Task {
  readonly name: string;
  readonly sleeps: readonly number[];
}

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'turn'; readonly ms: number }
  | { readonly kind: 'cancel'; readonly task: number };

const taskLists = fc
  .array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }), { minLength: 1, maxLength: 6 })
  .map((lists) => lists.map((sleeps, index): Task => ({ name: `task ${index}`, sleeps })));
const ms = fc.integer({ min: 1, max: 150 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms }),
    fc.record({ kind: fc.constant('turn' as const), ms }),
    fc.record({ kind: fc.constant('cancel' as const), task: fc.nat(5) }),
  ),
  { maxLength: 8 },
);

/** The oracle: counts the milliseconds one by one, and at each looks through all tasks for one that is due. */
function simulate(tasks: readonly Task[], plan: readonly Step[]): string[] {
  const marks: string[] = [];
  let now = START;
  let order = 0;
  const states = tasks.map((task) => ({ task, next: 0, wakeAt: Number.POSITIVE_INFINITY, order: 0 }));
  const sleep = (state: (typeof states)[number]) => {
    const duration = state.task.sleeps[state.next];
    state.wakeAt = duration === undefined ? Number.POSITIVE_INFINITY : now + duration;
    state.order = order;
    order += 1;
  };
  const wakeDue = () => {
    for (;;) {
      const [due] = states
        .filter(({ wakeAt }) => wakeAt <= now)
        .sort((a, b) => a.wakeAt - b.wakeAt || a.order - b.order);
      if (due === undefined) return;
      marks.push(`${now - START} ${due.task.name} ${due.next}`);
      due.next += 1;
      sleep(due);
    }
  };
  for (const state of states) sleep(state);
  wakeDue();
  for (const step of plan) {
    const cancelled = step.kind === 'cancel' ? states[step.task] : undefined;
    if (cancelled !== undefined) cancelled.wakeAt = Number.POSITIVE_INFINITY;
    if (step.kind === 'cancel') continue;
    for (let passed = 0; passed < step.ms; passed += 1) {
      now += 1;
      wakeDue();
    }
  }
  return marks;
}

async function play(tasks: readonly Task[], plan: readonly Step[]): Promise<string[]> {
  const { base, clock } = open();
  const marks: string[] = [];
  const cancels = tasks.map(() => new AbortController());
  tasks.forEach(async ({ name, sleeps }, index) => {
    for (const [number, duration] of sleeps.entries()) {
      try {
        await clock.sleep(duration, cancels[index]?.signal);
      } catch {
        return;
      }
      marks.push(`${clock.now() - START} ${name} ${number}`);
    }
  });
  await base.advance(0);
  for (const step of plan) {
    if (step.kind === 'pass') for (let passed = 0; passed < step.ms; passed += 1) await base.advance(1);
    if (step.kind === 'turn') await clock.advance(step.ms);
    if (step.kind === 'cancel') cancels[step.task]?.abort(new Error('cancelled'));
  }
  await clock.close();
  return marks;
}

it('wakes sleepers as a clock does that counts every millisecond, turned or not', async () => {
  await fc.assert(
    fc.asyncProperty(taskLists, steps, async (tasks, plan) => {
      expect(await play(tasks, plan)).toEqual(simulate(tasks, plan));
    }),
    { numRuns: 150 },
  );
});

it('keeps an offset that is never behind the clock, and the exact one at the end', async () => {
  const { clock, saved } = open();
  const turned = (async () => {
    for (let hour = 0; hour < 5; hour += 1) {
      await clock.sleep(HOUR);
      expect(saved.at(-1)).toBeGreaterThanOrEqual(clock.offsetMs());
    }
  })();
  await clock.advance(5 * HOUR + 7);
  await turned;
  expect(saved.at(-1)).toBe(5 * HOUR + 7);
  expect(clock.offsetMs()).toBe(5 * HOUR + 7);
  expect(Math.max(...saved)).toBe(5 * HOUR + 7);
  expect(saved.length).toBeLessThan(10);
});

it('begins where an earlier process ended', () => {
  expect(open({ offsetMs: HOUR }).clock.now()).toBe(START + HOUR);
});

it('tells how far a turn is, and refuses another one meanwhile', async () => {
  const { clock } = open();
  const seen: unknown[] = [];
  void clock.sleep(HOUR).then(() => {
    seen.push(clock.turn());
    expect(() => clock.advance(1)).toThrow(ClockTurningError);
    expect(() => clock.advance(1)).toThrow(/is being turned to 1970-01-01T02:16:40.000Z and stands at .*01:16:40/);
  });
  expect(clock.turn()).toBeUndefined();
  await clock.advance(2 * HOUR);
  expect(seen).toEqual([{ fromAt: START, toAt: START + 2 * HOUR, at: START + HOUR, wakeUps: 1 }]);
  expect(clock.turn()).toBeUndefined();
  await clock.advance(1);
  expect(clock.now()).toBe(START + 2 * HOUR + 1);
});

it.each([0, -1, Number.NaN, 31 * 24 * HOUR + 1])('refuses a turn by %s ms', (ms) => {
  expect(() => open().clock.advance(ms)).toThrow('ms: must be from 1 to 2678400000 (31 days)');
});

it('ends a turn where it stands when it is closed, and keeps that', async () => {
  const { clock, saved } = open();
  void clock.sleep(HOUR).then(() => void clock.close());
  await clock.advance(3 * HOUR);
  expect(clock.offsetMs()).toBe(HOUR);
  expect(saved.at(-1)).toBe(HOUR);
});

it('waits longer than a timer can', async () => {
  const { base, clock } = open();
  let isAwake = false;
  void clock.sleep(2 ** 31 + 5).then(() => {
    isAwake = true;
  });
  await base.advance(2 ** 31 + 4);
  expect(isAwake).toBe(false);
  await base.advance(1);
  expect(isAwake).toBe(true);
});

it('rejects an aborted sleep with the reason of its signal', async () => {
  const { clock } = open();
  const reason = new Error('no more');
  await expect(clock.sleep(5, AbortSignal.abort(reason))).rejects.toBe(reason);
  const later = new AbortController();
  const sleeping = clock.sleep(5, later.signal);
  later.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});
