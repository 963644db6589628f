import type { Clock } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';

/** The task of a test process. */
export interface Job {
  /** A path or an address, as `storageAt` takes it. */
  readonly database: string;
  /** Virtual time begins here, at this real time, and passes `speed` times as fast. */
  readonly startedAt: number;
  readonly speed: number;
  readonly timeoutMs: number;
  readonly dispatches: boolean;
  /** Calendars `cal_0` … that are changed in turns; none to change nothing. */
  readonly calendars: number;
  /** How many changes are to be made. */
  readonly changes: number;
  readonly eventType: 'calendar.event.changed' | 'calendar.event.unknown';
}

export const APPLICATION = 'app_1';
export const ACCOUNT = 'acc_1';
export const SECRET = Buffer.alloc(32, 7).toString('base64');

export const keyOf = (calendar: number) => ({
  applicationId: APPLICATION,
  accountId: ACCOUNT,
  calendarId: `cal_${calendar}`,
});

/** The clock that all processes of a test share: retries that take hours are over in minutes. */
export function sharedClock({ startedAt, speed }: Pick<Job, 'startedAt' | 'speed'>): Clock {
  return {
    now: () => Math.floor(startedAt + (systemClock.now() - startedAt) * speed),
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}
