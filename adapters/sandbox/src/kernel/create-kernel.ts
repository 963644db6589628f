import type { RealTime } from '../runtime/real-time.ts';
import {
  type ClockSetting,
  createHostedClock,
  createSandboxClock,
  type HostClock,
  type RestorableClock,
} from './clock.ts';
import { createFaultBook, type FaultBook } from './fault-book.ts';
import type { Kernel } from './kernel.ts';
import { createNotificationQueue, type NotificationQueue } from './notification-queue.ts';
import { createSeededRandom } from './seeded-random.ts';

/** The kernel's part of the saved state. */
export interface KernelSnapshot {
  readonly clock: ClockSetting;
  readonly random: number;
}

/** The kernel with the parts that only the sandbox's own front (routing, control routes, persistence) touches. */
export interface KernelParts extends Kernel {
  readonly clock: RestorableClock;
  readonly faults: FaultBook;
  readonly notifications: NotificationQueue;
  /** True once since the last call when something was touched. */
  takeTouched(): boolean;
  snapshot(): KernelSnapshot;
  restore(snapshot: KernelSnapshot): void;
}

export function createKernel(options: {
  readonly time: RealTime;
  /** @default the real time's clock */
  readonly clock?: { now(): number } | HostClock;
  readonly seed: number;
  /** Called whenever something was touched that had not been before. */
  readonly onTouched?: () => void;
  readonly fetch: typeof fetch;
}): KernelParts {
  let isTouched = false;
  const touched = (): void => {
    if (!isTouched) options.onTouched?.();
    isTouched = true;
  };
  const random = createSeededRandom(options.seed);
  const base: { now(): number } | HostClock = options.clock ?? options.time;
  const clock = isHost(base) ? createHostedClock(base) : createSandboxClock(base, touched);
  // A source of its own, so that armed notification faults do not change the ids that the servers draw.
  const notifications = createNotificationQueue({
    random: createSeededRandom(options.seed + 1),
    time: options.time,
    fetch: options.fetch,
  });
  return {
    clock,
    faults: createFaultBook(),
    notifications,
    randomText: (length, alphabet) => random.text(length, alphabet),
    chance: (share) => random.fraction() < share,
    notify: (notification) => notifications.push(notification),
    notificationsSettled: (timeoutMs) => Promise.race([notifications.idle(), options.time.wait(timeoutMs)]),
    wait: (ms) => options.time.wait(ms),
    touched,
    takeTouched() {
      const was = isTouched;
      isTouched = false;
      return was;
    },
    snapshot: () => ({ clock: clock.setting(), random: random.state() }),
    restore(snapshot) {
      clock.restore(snapshot.clock);
      random.restore(snapshot.random);
    },
  };
}

const isHost = (clock: { now(): number } | HostClock): clock is HostClock => 'advance' in clock;
