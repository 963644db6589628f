/** Counters of the engine. */
export const COUNTERS = {
  kalends_provider_calls_total: {
    help: 'Calls of providers; the outcome is ok or the reason of the failure, rate-limited when the provider throttled.',
    labels: ['provider', 'operation', 'outcome'],
  },
  kalends_missed_pushes_total: {
    help: 'Changes that a poll behind a live push channel found and no push had announced.',
    labels: ['provider'],
  },
  kalends_deliveries_total: {
    help: 'POSTs to webhook receivers; the result is the class of the status, or why there was none.',
    labels: ['result'],
  },
  kalends_messages_given_up_total: {
    help: 'Webhook messages given up: dead after their last attempt, or disabled with their receiver.',
    labels: ['outcome'],
  },
  kalends_accounts_expired_total: {
    help: 'Accounts whose grant the provider has ended.',
    labels: ['provider'],
  },
} as const;

/** Histograms of the engine, in seconds unless the name says otherwise. Buckets are upper bounds. */
export const HISTOGRAMS = {
  kalends_http_request_duration_seconds: {
    help: 'Requests of the interface, from their head to the head of the answer; the route is its pattern, none for unknown paths.',
    labels: ['route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  kalends_provider_call_duration_seconds: {
    help: 'Calls of providers, with their repetitions and waits for a turn; of a pull: each page.',
    labels: ['provider', 'operation'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  kalends_pull_duration_seconds: {
    help: 'Pulls of a collection, from the claim to the last commit; the outcome is ok, failed, postponed or abandoned.',
    labels: ['provider', 'collection', 'outcome'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
  kalends_provider_backoff_factor: {
    help: 'Factor by which polls of the account of each pull are slowed down because its provider throttles.',
    labels: ['provider'],
    buckets: [1, 2, 4, 8],
  },
  kalends_poll_interval_seconds: {
    help: 'Longest time to the next poll that each pull chose: the bound of the age of a mirror that is not read.',
    labels: ['provider'],
    buckets: [120, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400],
  },
  kalends_daily_budget_used_ratio: {
    help: 'Share of the daily budget of an OAuth client that is used, at each time a process takes calls from it.',
    labels: ['provider'],
    buckets: [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1],
  },
  kalends_delivery_duration_seconds: {
    help: 'POSTs to webhook receivers, until their answer or failure.',
    labels: ['result'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  },
} as const;

export type CounterName = keyof typeof COUNTERS;
export type HistogramName = keyof typeof HISTOGRAMS;

/** Values of all labels of a metric. Cardinality is bounded: never an id, an address or external text. */
export type MetricLabels<Metric extends CounterName | HistogramName> = Readonly<
  Record<(typeof COUNTERS & typeof HISTOGRAMS)[Metric]['labels'][number], string>
>;

/** Receives counts and measurements from the engine and its bindings. Synchronous, cheap, must not throw. */
export interface Telemetry {
  /** Adds one. */
  count<Metric extends CounterName>(metric: Metric, labels: MetricLabels<Metric>): void;
  /** Records one measurement. */
  observe<Metric extends HistogramName>(metric: Metric, labels: MetricLabels<Metric>, value: number): void;
}

/** Discards all measurements. */
export const NO_TELEMETRY: Telemetry = { count: () => undefined, observe: () => undefined };
