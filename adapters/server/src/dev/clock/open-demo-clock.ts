import type { Clock } from 'kalends/ports';
import { createDemoClock, type DemoClock } from './demo-clock.ts';
import { watchRequests } from './request-watch.ts';
import { createSettling } from './settled-work.ts';

/** Opens the demo's clock at the offset that is kept; closing it ends its watch of requests too. */
export function openDemoClock(options: {
  /** Real time. */
  readonly base: Clock;
  /** Origin of the dev server. */
  readonly siteUrl: string;
  readonly kept: { readClockOffset(): number; writeClockOffset(offsetMs: number): void };
}): DemoClock {
  const { base, siteUrl, kept } = options;
  const watch = watchRequests(siteUrl, base);
  const clock = createDemoClock({
    base,
    offsetMs: kept.readClockOffset(),
    settle: createSettling(watch.isBusy, base),
    save: kept.writeClockOffset,
  });
  return {
    ...clock,
    async close() {
      await clock.close();
      watch.close();
    },
  };
}
