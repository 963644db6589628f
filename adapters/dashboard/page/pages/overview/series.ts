import type { MeasurementList, MeasurementPoint } from 'kalends/model';
import type { ProviderFailureReason } from 'kalends/ports';

/** Reasons of `ProviderError` that are no fault: the provider has answered, and the engine goes on by its answer. */
const ANSWERS: readonly ProviderFailureReason[] = [
  'invalid-grant',
  'unauthorized',
  'forbidden',
  'not-organizer',
  'partly-taken',
  'not-found',
  'precondition-failed',
  'conflict',
  'sync-token-expired',
  'unsupported',
  'invalid',
  'push-unsupported',
  'unreadable',
];
const ANSWERED = new Set<string>(['ok', ...ANSWERS]);

export type CallState = 'answered' | 'throttled' | 'failed';

/** Returns what became of a call of a provider, by its result. */
export function callState(result: string | null): CallState {
  if (result === 'rate-limited') return 'throttled';
  return ANSWERED.has(result ?? '') ? 'answered' : 'failed';
}

export const isDelivered = (result: string | null): boolean => result === '2xx' || result === 'handled';

/** Sums over the steps of a list, one for each step, of the series that are chosen. */
export interface Steps {
  readonly count: readonly number[];
  readonly sum: readonly number[];
  readonly max: readonly number[];
}

type Series = MeasurementList['data'][number];
export type Choice = (series: Series) => boolean;

/** Returns the begins of all steps, epoch milliseconds. */
export function stepTimes({ since, until, stepMs }: MeasurementList): readonly number[] {
  const from = Date.parse(since);
  const length = Math.ceil((Date.parse(until) - from) / stepMs);
  return Array.from({ length }, (_, index) => from + index * stepMs);
}

/** Adds up the chosen series, step by step; a step without measurements is 0. */
export function stepsOf(list: MeasurementList, choose: Choice): Steps {
  const from = Date.parse(list.since);
  const { length } = stepTimes(list);
  const steps = { count: zeros(length), sum: zeros(length), max: zeros(length) };
  const add = (values: number[], index: number, value: number) => {
    values[index] = (values[index] ?? 0) + value;
  };
  for (const { points } of list.data.filter(choose)) {
    for (const point of points) {
      const index = Math.floor((Date.parse(point.at) - from) / list.stepMs);
      add(steps.count, index, point.count);
      add(steps.sum, index, point.sum);
      steps.max[index] = Math.max(steps.max[index] ?? 0, point.max);
    }
  }
  return steps;
}

const zeros = (length: number): number[] => new Array<number>(length).fill(0);

/** Sums of the chosen series since a time. */
export function totalSince(list: MeasurementList, since: number, choose: Choice): Omit<MeasurementPoint, 'at'> {
  const total = { count: 0, sum: 0, max: 0 };
  for (const { points } of list.data.filter(choose)) {
    for (const { at, count, sum, max } of points) {
      if (Date.parse(at) < since) continue;
      total.count += count;
      total.sum += sum;
      total.max = Math.max(total.max, max);
    }
  }
  return total;
}

/** Returns the values of a label of a series, in their order. */
export function providersOf(list: MeasurementList, name: string): readonly string[] {
  return [...new Set(list.data.flatMap((series) => (series.name === name ? [series.provider ?? ''] : [])))];
}
