import type { MeasurementRow } from '../ports/index.ts';
import type { Measurement } from './measured-series.ts';

export const MINUTE_MS = 60_000;

/** Minutes that wait for the storage at most: an hour. */
const MOST_MINUTES = 60;

type Bucket = { -readonly [Field in keyof MeasurementRow]: MeasurementRow[Field] };

/** Measurements that are not stored yet, minute by minute. */
export interface MeasurementBuffer {
  readonly isEmpty: boolean;
  /** Adds a measurement to a minute. */
  record(at: number, measurement: Measurement): void;
  /** Takes out everything. */
  take(): readonly MeasurementRow[];
  /** Puts back what could not be stored. */
  putBack(rows: readonly MeasurementRow[]): void;
}

/**
 * Creates a buffer. Its series are few, since labels are. Beyond an hour of minutes the oldest joins the one behind it: sums stay
 * exact, only the time is coarser.
 */
export function createMeasurementBuffer(): MeasurementBuffer {
  let minutes = new Map<number, Map<string, Bucket>>();

  const addTo = (minute: Map<string, Bucket>, row: MeasurementRow) => {
    const key = `${row.name} ${row.provider} ${row.result}`;
    const bucket = minute.get(key);
    if (bucket === undefined) {
      minute.set(key, { ...row });
      return;
    }
    bucket.count += row.count;
    bucket.sum += row.sum;
    bucket.max = Math.max(bucket.max, row.max);
  };

  const minuteAt = (at: number) => {
    const known = minutes.get(at);
    if (known !== undefined) return known;
    const minute = new Map<string, Bucket>();
    minutes.set(at, minute);
    return minute;
  };

  const foldOldest = () => {
    const [oldest, next] = [...minutes.keys()].sort((left, right) => left - right);
    if (oldest === undefined || next === undefined) return;
    const rows = minutes.get(oldest)?.values() ?? [];
    minutes.delete(oldest);
    for (const row of rows) addTo(minuteAt(next), { ...row, at: next });
  };

  const add = (row: MeasurementRow) => {
    addTo(minuteAt(row.at), row);
    if (minutes.size > MOST_MINUTES) foldOldest();
  };

  return {
    get isEmpty() {
      return minutes.size === 0;
    },
    record(time, { name, provider = '', result = '', value }) {
      add({ at: time - (time % MINUTE_MS), name, provider, result, count: 1, sum: value, max: value });
    },
    take() {
      const taken = [...minutes.values()].flatMap((minute) => [...minute.values()]);
      minutes = new Map();
      return taken;
    },
    putBack(rows) {
      for (const row of rows) add(row);
    },
  };
}
