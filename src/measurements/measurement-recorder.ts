import {
  type Clock,
  type Logger,
  NO_TELEMETRY,
  type Storage,
  type StorageStats,
  type Telemetry,
} from '../ports/index.ts';
import { createWakeUp, describeError, withOutageTimeout } from '../runtime/index.ts';
import { type Measurement, tee } from './measured-series.ts';
import { createMeasurementBuffer, MINUTE_MS } from './measurement-buffer.ts';

const FLUSH_AFTER_MS = 15_000;
/** Timers take no endless time. */
const LONGEST_WAIT_MS = 3_600_000;

/** Keeps what this process measures in the storage, so that it survives the process and is seen by all. */
export interface MeasurementRecorder {
  /** Passes on what it is told to the host's own telemetry. */
  readonly telemetry: Telemetry;
  /** Passes nothing on: for bindings, which tell the host themselves. */
  readonly ofBindings: Telemetry;
  /**
   * Stores measurements 15 s after the first of them, and with `samples` asks the storage once a minute for the work that is due,
   * until the signal aborts. Without measurements nothing is written.
   */
  run(signal: AbortSignal, options: { readonly samples: boolean }): Promise<void>;
  /** Stores what has been measured since, at once or, while the storage is away, not at all. Never rejects. */
  close(): Promise<void>;
}

export function createMeasurementRecorder({
  storage,
  clock,
  logger,
  telemetry,
}: {
  readonly storage: Pick<Storage, 'measurements' | 'health'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The host's own. */
  readonly telemetry: Telemetry;
}): MeasurementRecorder {
  const buffer = createMeasurementBuffer();
  const wakeUp = createWakeUp(clock);

  const record = (measurement: Measurement) => {
    const { value } = measurement;
    // A host may measure too: what is no number would keep all others from being stored.
    if (!Number.isFinite(value)) return;
    if (buffer.isEmpty) wakeUp.notify();
    // A clock that was set back makes a duration negative.
    buffer.record(clock.now(), { ...measurement, value: Math.max(0, value) });
  };

  const flush = async () => {
    const rows = buffer.take();
    if (rows.length === 0) return;
    try {
      await storage.measurements.add(rows);
    } catch (error) {
      buffer.putBack(rows);
      throw error;
    }
  };

  /** Plots must not stop the work that they show, nor each other. */
  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      logger.warn(`${what} failed; it is tried again`, { error: describeError(error) });
    }
  };

  const sample = async () => {
    for (const measurement of samplesOf(await storage.health.stats())) record(measurement);
  };

  return {
    telemetry: tee(telemetry, record),
    ofBindings: tee(NO_TELEMETRY, record),
    async run(signal, { samples }) {
      let sampleAt = samples ? clock.now() + MINUTE_MS : Number.POSITIVE_INFINITY;
      let flushAt = Number.POSITIVE_INFINITY;
      while (!signal.aborted) {
        const now = clock.now();
        // Neither does a clock that was set back stop the samples until it is where it was.
        if (samples) sampleAt = Math.min(sampleAt, now + MINUTE_MS);
        if (now >= sampleAt) {
          sampleAt = now + MINUTE_MS;
          await attempt('sampling due work', sample);
        }
        if (now >= flushAt) {
          flushAt = Number.POSITIVE_INFINITY;
          await attempt('storing measurements', flush);
        }
        if (!buffer.isEmpty) flushAt = Math.min(flushAt, clock.now() + FLUSH_AFTER_MS);
        await wakeUp.wait(Math.min(sampleAt, flushAt, now + LONGEST_WAIT_MS) - clock.now(), signal);
      }
    },
    close: () => withOutageTimeout({ limitMs: 0 }, () => attempt('storing the last measurements', flush)),
  };
}

/** Returns measurements of due work: none where nothing is due, so that an idle engine writes nothing. */
function samplesOf(stats: StorageStats): readonly Measurement[] {
  const lag = (since: number | null) => (since === null ? 0 : Math.max(0, stats.now - since) / 1_000);
  const samples: readonly Measurement[] = [
    { name: 'dueCollections', value: stats.dueCollections },
    { name: 'syncLagSeconds', value: lag(stats.oldestDueAt) },
    { name: 'dueDeliveries', value: stats.dueDeliveries },
    { name: 'deliveryLagSeconds', value: lag(stats.oldestDeliveryDueAt) },
  ];
  return samples.filter(({ value }) => value > 0);
}
