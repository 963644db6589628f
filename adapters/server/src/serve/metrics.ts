import { type Clock, COUNTERS, type HealthStore, HISTOGRAMS, type Telemetry } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import { askNow } from './ask-now.ts';

/** Gauges that are read from the storage at each scrape. */
export const STORAGE_GAUGES = {
  kalends_due_collections: 'Collections whose pull is due, counted up to 10,000.',
  kalends_sync_lag_seconds: 'Seconds since the first of them became due; 0 when none is.',
  kalends_due_deliveries: 'Subscriptions and endpoints with a message that is due, counted up to 10,000.',
  kalends_delivery_lag_seconds: 'Seconds since the first of them became due; 0 when none is.',
  kalends_overdue_renewals: 'Push channels whose renewal is due, counted up to 10,000.',
  kalends_renewal_lag_seconds: 'Seconds since the first of them became due; 0 when none is.',
  kalends_unreadable_objects:
    'Objects of providers, or parts of them, that cannot be read and are set aside; at most 10000.',
  kalends_expiring_client_secrets:
    'OAuth client secrets that have ended or end within 30 days, as far as operators said when; at most 10000.',
  kalends_storage_faulty: '1 while the database cannot be written or its file is damaged, else 0.',
  kalends_troubled_databases:
    'Databases of KALENDS_SHARDS whose accounts cannot be served: away, faulty, or missing in the setting.',
} as const;

/** Gauge of the process's own readiness. */
export const READY_GAUGE = 'kalends_ready';

type GaugeName = keyof typeof STORAGE_GAUGES;

/** The measurements of one process. */
export interface Metrics extends Telemetry {
  readonly contentType: string;
  /** Serializes the metrics in the OpenMetrics format; the storage's gauges are NaN while it cannot be read within seconds. */
  serialize(isReady: Promise<boolean>): Promise<string>;
}

/**
 * Creates the metrics of a process: its telemetry, prom-client's own, and the storage's gauges.
 * @param providers names of the providers, whose rare events are counted from 0
 */
export function createMetrics(
  health: Pick<HealthStore, 'stats' | 'inspect'>,
  providers: readonly string[] = [],
  clock: Clock = systemClock,
): Metrics {
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
  // Rare events that alerts count: `increase()` of Prometheus misses the first one unless its series was scraped at 0 before.
  for (const outcome of ['dead', 'disabled']) counters.kalends_messages_given_up_total.inc({ outcome }, 0);
  for (const provider of providers) {
    counters.kalends_accounts_expired_total.inc({ provider }, 0);
    counters.kalends_missed_pushes_total.inc({ provider }, 0);
    histograms.kalends_daily_budget_used_ratio.zero({ provider });
  }
  const ready = new Gauge({ name: READY_GAUGE, help: '1 while /readyz answers 200, else 0.', registers });
  const gauges = mapValues(STORAGE_GAUGES, (name, help) => new Gauge({ name, help, registers }));

  async function readStorage(): Promise<Record<GaugeName, number>> {
    const [stats, { fault, troubles = [] }] = await Promise.all([health.stats(), health.inspect()]);
    const lag = (since: number | null) => (since === null ? 0 : Math.max(0, stats.now - since) / 1_000);
    return {
      kalends_due_collections: stats.dueCollections,
      kalends_sync_lag_seconds: lag(stats.oldestDueAt),
      kalends_due_deliveries: stats.dueDeliveries,
      kalends_delivery_lag_seconds: lag(stats.oldestDeliveryDueAt),
      kalends_overdue_renewals: stats.overdueRenewals,
      kalends_renewal_lag_seconds: lag(stats.oldestRenewalDueAt),
      kalends_unreadable_objects: stats.unreadableObjects,
      kalends_expiring_client_secrets: stats.expiringClientSecrets,
      kalends_storage_faulty: fault === null ? 0 : 1,
      kalends_troubled_databases: troubles.length,
    };
  }

  return {
    contentType: registry.contentType,
    count: (metric, labels) => counters[metric].inc(labels),
    observe: (metric, labels, value) => histograms[metric].observe(labels, value),
    async serialize(isReady) {
      // A scrape must not fail or hang with the database, nor repeat an old number as if it were current.
      const reading = askNow(clock, readStorage).catch(() => undefined);
      ready.set((await isReady) ? 1 : 0);
      const values = await reading;
      for (const [name, gauge] of Object.entries(gauges)) gauge.set(values?.[name as GaugeName] ?? Number.NaN);
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
