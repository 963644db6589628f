import type { Telemetry } from '../ports/index.ts';

/** Series that are kept. A closed list: every further one costs a row a minute. */
export const SERIES = [
  'providerCalls',
  'providerCallSeconds',
  'pulls',
  'deliveries',
  'requests',
  'messagesGivenUp',
  'missedPushes',
  'accountsExpired',
  'budgetUsed',
  'dueCollections',
  'syncLagSeconds',
  'dueDeliveries',
  'deliveryLagSeconds',
] as const;

export type SeriesName = (typeof SERIES)[number];

/** One measurement. Its labels are empty where the series has none. */
export interface Measurement {
  readonly name: SeriesName;
  readonly provider?: string;
  readonly result?: string;
  readonly value: number;
}

type Labels = Readonly<Partial<Record<string, string>>>;
type Names<Method extends keyof Telemetry> = Parameters<Telemetry[Method]>[0];
/** Undefined for a measurement that is not kept. */
type Source = (labels: Labels) => Omit<Measurement, 'value'> | undefined;

/** Counts that are kept; their value is 1. Deliveries are kept by their durations. */
const COUNTED: Readonly<Partial<Record<Names<'count'>, Source>>> = {
  kalends_provider_calls_total: ({ provider, outcome }) => named('providerCalls', provider, outcome),
  kalends_missed_pushes_total: ({ provider }) => named('missedPushes', provider),
  kalends_messages_given_up_total: ({ outcome }) => named('messagesGivenUp', '', outcome),
  kalends_accounts_expired_total: ({ provider }) => named('accountsExpired', provider),
};

const OBSERVED: Readonly<Partial<Record<Names<'observe'>, Source>>> = {
  kalends_provider_call_duration_seconds: ({ provider }) => named('providerCallSeconds', provider),
  kalends_pull_duration_seconds: ({ provider, outcome }) => named('pulls', provider, outcome),
  kalends_daily_budget_used_ratio: ({ provider }) => named('budgetUsed', provider),
  kalends_delivery_duration_seconds: ({ result }) => named('deliveries', '', result),
  // Not those of the administration: a person who looks at plots would be their only line.
  kalends_http_request_duration_seconds: ({ route = '', status = '' }) =>
    route.startsWith('/v1/') ? named('requests', '', `${status[0]}xx`) : undefined,
};

const named = (name: SeriesName, provider = '', result = '') => ({ name, provider, result });

/** Returns the same telemetry, whose counts and measurements of the kept series are passed to `record` too. */
export function tee(telemetry: Telemetry, record: (measurement: Measurement) => void): Telemetry {
  return {
    count(metric, labels) {
      const series = COUNTED[metric]?.(labels);
      if (series !== undefined) record({ ...series, value: 1 });
      telemetry.count(metric, labels);
    },
    observe(metric, labels, value) {
      const series = OBSERVED[metric]?.(labels);
      if (series !== undefined) record({ ...series, value });
      telemetry.observe(metric, labels, value);
    },
  };
}

export const isSeriesName = (text: string): text is SeriesName => (SERIES as readonly string[]).includes(text);
