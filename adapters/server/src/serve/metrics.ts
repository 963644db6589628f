import { COUNTERS, type HealthStore, HISTOGRAMS, type Telemetry } from 'kalends/ports';
import { withPatience } from 'kalends/runtime';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';

/** What is read from the storage whenever somebody asks for the metrics. */
export const STORAGE_GAUGES = {
  kalends_due_collections: 'Collections that are due to be pulled, counted up to 10,000.',
  kalends_sync_lag_seconds: 'For how long the first of them has been due: 0 when nothing is.',
  kalends_due_deliveries: 'Subscriptions and endpoints with a message that is due, counted up to 10,000.',
  kalends_delivery_lag_seconds: 'For how long the first of them has been due: 0 when nothing is.',
  kalends_overdue_renewals: 'Push channels whose renewal is due, counted up to 10,000.',
  kalends_renewal_lag_seconds: 'For how long the first of them has been due: 0 when nothing is.',
  kalends_storage_faulty: '1 while the database cannot be written or its file is damaged, else 0.',
} as const;

type GaugeName = keyof typeof STORAGE_GAUGES;

/** The measurements of one process. */
export interface Metrics extends Telemetry {
  readonly contentType: string;
  /** In the OpenMetrics format. Without the storage's part when that cannot be read. */
  print(): Promise<string>;
}

/** Collects what it is told, what the process says of itself, and what waits in the storage. */
export function createMetrics(health: HealthStore): Metrics {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counters = mapValues(
    COUNTERS,
    (name, { help, labels }) => new Counter({ name, help, labelNames: [...labels], registers }),
  );
  const histograms = mapValues(
    HISTOGRAMS,
    (name, { help, labels, buckets }) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
  );
  const gauges = mapValues(STORAGE_GAUGES, (name, help) => new Gauge({ name, help, registers }));

  async function readStorage(): Promise<void> {
    const [stats, { fault }] = await Promise.all([health.stats(), health.inspect()]);
    const lag = (since: number | null) => (since === null ? 0 : Math.max(0, stats.now - since) / 1_000);
    const values: Record<GaugeName, number> = {
      kalends_due_collections: stats.dueCollections,
      kalends_sync_lag_seconds: lag(stats.oldestDueAt),
      kalends_due_deliveries: stats.dueDeliveries,
      kalends_delivery_lag_seconds: lag(stats.oldestDeliveryDueAt),
      kalends_overdue_renewals: stats.overdueRenewals,
      kalends_renewal_lag_seconds: lag(stats.oldestRenewalDueAt),
      kalends_storage_faulty: fault === null ? 0 : 1,
    };
    for (const [name, value] of Object.entries(values)) gauges[name as GaugeName].set(value);
  }

  return {
    contentType: registry.contentType,
    count: (metric, labels) => counters[metric].inc(labels),
    observe: (metric, labels, value) => histograms[metric].observe(labels, value),
    async print() {
      try {
        await withPatience({ limitMs: 0 }, readStorage);
      } catch {
        // A scrape of the process must not fail with the database: an old number would be a lie, none is the truth.
        for (const gauge of Object.values(gauges)) gauge.set(Number.NaN);
      }
      return await registry.metrics();
    },
  };
}

function mapValues<Shape extends object, Result>(
  shape: Shape,
  map: (name: string, value: Shape[keyof Shape]) => Result,
): Record<keyof Shape, Result> {
  return Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, map(name, value)])) as Record<
    keyof Shape,
    Result
  >;
}
