/** Seconds of a day of 24 hours: one more than the last time of day. */
export const DAY_SECONDS = 86_400;

/**
 * BYHOUR, BYMINUTE and BYSECOND as tests of a time of day in seconds. Each list has at `n` the least allowed value from `n`
 * on, or the size of the unit when there is none.
 */
export interface ClockParts {
  readonly hours: Uint8Array;
  readonly minutes: Uint8Array;
  readonly seconds: Uint8Array;
  /** Seconds of a run in which all times of day pass or fail together: 1, 60, 3,600 or a day. */
  readonly runSeconds: number;
}

/** Compiles the parts; an absent one allows everything. */
export function compileClockParts(
  hours: readonly number[] | undefined,
  minutes: readonly number[] | undefined,
  seconds: readonly number[] | undefined,
): ClockParts {
  return {
    hours: nextAllowed(hours, 24),
    minutes: nextAllowed(minutes, 60),
    seconds: nextAllowed(seconds, 60),
    runSeconds: seconds ? 1 : minutes ? 60 : hours ? 3600 : DAY_SECONDS,
  };
}

function nextAllowed(values: readonly number[] | undefined, size: number): Uint8Array {
  const next = new Uint8Array(size + 1).fill(size);
  for (let value = size - 1; value >= 0; value--) {
    next[value] = values === undefined || values.includes(value) ? value : next[value + 1]!;
  }
  return next;
}

/** Returns the first time of day from `time` on that passes every part, or `DAY_SECONDS`. */
export function nextTime({ hours, minutes, seconds }: ClockParts, time: number): number {
  let hour = (time / 3600) | 0;
  let minute = ((time / 60) | 0) % 60;
  let second = time % 60;
  if (hours[hour]! !== hour) {
    hour = hours[hour]!;
    minute = 0;
    second = 0;
  }
  if (minutes[minute]! !== minute) {
    minute = minutes[minute]!;
    second = 0;
  }
  if (minute < 60) {
    second = seconds[second]!;
    if (second === 60) {
      minute = minutes[minute + 1]!;
      second = seconds[0]!;
    }
  }
  if (minute === 60) {
    hour = hours[Math.min(hour + 1, 24)]!;
    minute = minutes[0]!;
    second = seconds[0]!;
  }
  return hour === 24 ? DAY_SECONDS : (hour * 60 + minute) * 60 + second;
}
