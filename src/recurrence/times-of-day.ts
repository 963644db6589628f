/** Times of day of a rule in milliseconds, ascending, each once. */
export interface TimesOfDay {
  readonly size: number;
  at(index: number): number;
  /** Returns the number of times earlier than a time of day. */
  countBefore(timeMs: number): number;
}

/** Creates the times of a list. */
export function listedTimes(times: readonly number[]): TimesOfDay {
  return {
    size: times.length,
    at: (index) => times[index]!,
    countBefore: (timeMs) => countBelow(times, timeMs),
  };
}

/**
 * Combines hours, minutes and seconds, each ascending. The combination is never built: it may have 86,400 members, and an
 * event thousands of such rules.
 */
export function clockTimes(
  hours: readonly number[],
  minutes: readonly number[],
  seconds: readonly number[],
): TimesOfDay {
  const ofMinute = seconds.length;
  const ofHour = minutes.length * ofMinute;
  return {
    size: hours.length * ofHour,
    at: (index) => {
      const hour = Math.floor(index / ofHour);
      const minute = Math.floor(index / ofMinute) % minutes.length;
      return ((hours[hour]! * 60 + minutes[minute]!) * 60 + seconds[index % ofMinute]!) * 1000;
    },
    countBefore: (timeMs) => {
      const time = Math.ceil(timeMs / 1000);
      const hour = Math.floor(time / 3600);
      const minute = Math.floor(time / 60) % 60;
      const beforeHour = countBelow(hours, hour);
      const count = beforeHour * ofHour;
      if (hours[beforeHour] !== hour) return count;
      const beforeMinute = countBelow(minutes, minute);
      if (minutes[beforeMinute] !== minute) return count + beforeMinute * ofMinute;
      return count + beforeMinute * ofMinute + countBelow(seconds, time % 60);
    },
  };
}

/** Returns the number of values below a limit in an ascending list, by bisection. */
export function countBelow(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
