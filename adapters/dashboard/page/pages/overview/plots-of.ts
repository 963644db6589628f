import type { MeasurementList } from 'kalends/model';
import { countText, durationText, shareText, overviewTexts as texts } from '../../texts/en/overview.ts';
import { providerName } from '../../texts/en/providers.ts';
import { type Choice, callState, isDelivered, providersOf, type Steps, stepsOf, stepTimes } from './series.ts';

/** Colours of lines: states have their own. */
export type LineTone = 'accent' | 'warning' | 'bad' | 'neutral';

export interface PlotLine {
  readonly label: string;
  readonly tone: LineTone;
  /** One value for each step; null where there is none to show. */
  readonly values: readonly (number | null)[];
}

/** A plot, and the same in words. */
export interface PlotData {
  readonly name: keyof typeof texts.plots;
  /** Epoch milliseconds. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  /** Bars stand on each other and add up. */
  readonly kind: 'bars' | 'lines';
  /** The whole time in one number. */
  readonly figure: string;
  readonly remark: string;
  readonly remarkTone: 'muted' | 'bad' | 'warning';
  readonly format: (value: number) => string;
  /** Said where there is nothing to plot. */
  readonly nothing: string;
}

const named =
  (name: string, choose: Choice = () => true): Choice =>
  (series) =>
    series.name === name && choose(series);
/** Single failures are a provider's everyday life. */
const NOTED_SHARE = 0.01;

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const most = (values: readonly (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0));

/** Leaves the running step open as long as it has no sample: none is stored where nothing is due, but its own may still come. */
const sampled = (values: readonly number[]): readonly (number | null)[] => [
  ...values.slice(0, -1),
  ...values.slice(-1).map((value) => (value === 0 ? null : value)),
];

const latest = (values: readonly (number | null)[]): number => values.findLast((value) => value !== null) ?? 0;

/** Returns the plots of a list of measurements. */
export function plotsOf(list: MeasurementList): readonly PlotData[] {
  const times = stepTimes(list);
  return [requests, providerCalls, pulls, lag, due, deliveries, latency, budget].map((plot) => ({
    times,
    ...plot((choose) => stepsOf(list, choose), list),
  }));
}

type Part = (steps: (choose: Choice) => Steps, list: MeasurementList) => Omit<PlotData, 'times'>;

const requests: Part = (steps) =>
  bars('requests', [
    [texts.lines.answered, 'accent', steps(named('requests', ({ result }) => result !== '5xx')).count],
    [texts.lines.failed, 'bad', steps(named('requests', ({ result }) => result === '5xx')).count],
  ]);

const providerCalls: Part = (steps) => {
  const of = (state: string) => steps(named('providerCalls', ({ result }) => callState(result) === state)).count;
  return bars('providerCalls', [
    [texts.lines.answered, 'accent', of('answered')],
    [texts.lines.throttled, 'warning', of('throttled')],
    [texts.lines.failed, 'bad', of('failed')],
  ]);
};

const pulls: Part = (steps) =>
  bars('pulls', [
    [texts.lines.complete, 'accent', steps(named('pulls', ({ result }) => result === 'ok')).count],
    [texts.lines.failed, 'bad', steps(named('pulls', ({ result }) => result === 'failed')).count],
    // An abandoned pull is another process's by now.
    [texts.lines.postponed, 'neutral', steps(named('pulls', ({ result }) => result === 'postponed')).count],
  ]);

const deliveries: Part = (steps) =>
  bars('deliveries', [
    [texts.lines.delivered, 'accent', steps(named('deliveries', ({ result }) => isDelivered(result))).count],
    [texts.lines.failed, 'bad', steps(named('deliveries', ({ result }) => !isDelivered(result))).count],
  ]);

const lag: Part = (steps) => {
  const max = sampled(steps(named('syncLagSeconds')).max);
  return {
    ...lines('lag', durationText, [[texts.lines.lag, 'accent', max]]),
    figure: durationText(latest(max)),
    remark: texts.figures.most(durationText(most(max))),
    nothing: texts.noLag,
  };
};

const due: Part = (steps) => {
  const collections = sampled(steps(named('dueCollections')).max);
  const receivers = sampled(steps(named('dueDeliveries')).max);
  return {
    ...lines('due', countText, [
      [texts.lines.collections, 'accent', collections],
      [texts.lines.receivers, 'neutral', receivers],
    ]),
    figure: countText(latest(collections) + latest(receivers)),
    remark: texts.figures.most(
      countText(most(collections.map((each, index) => (each ?? 0) + (receivers[index] ?? 0)))),
    ),
    nothing: texts.noDue,
  };
};

const latency: Part = (steps) => {
  const { count, sum, max } = steps(named('deliveries'));
  const inSteps = (values: readonly number[]) => values.map((value, index) => (count[index] ? value : null));
  const mean = total(sum) / Math.max(1, total(count));
  return {
    ...lines('latency', durationText, [
      [texts.lines.mean, 'accent', inSteps(sum.map((value, index) => value / (count[index] || 1)))],
      [texts.lines.slowest, 'neutral', inSteps(max)],
    ]),
    figure: durationText(mean),
    remark: texts.figures.most(durationText(most(max))),
  };
};

const TONES: readonly LineTone[] = ['accent', 'neutral', 'warning'];

const budget: Part = (steps, list) => {
  const shares = providersOf(list, 'budgetUsed').map((provider, index) => {
    const { count, max } = steps(named('budgetUsed', (series) => series.provider === provider));
    const values = max.map((value, step) => (count[step] ? value : null));
    return [providerName(provider), TONES[index % TONES.length] ?? 'accent', values] as const;
  });
  const used = most(shares.flatMap(([, , values]) => values));
  return { ...lines('budget', shareText, shares), figure: shareText(used), remark: '' };
};

type Line = readonly [label: string, tone: LineTone, values: readonly (number | null)[]];

function bars(name: PlotData['name'], given: readonly (readonly [string, LineTone, readonly number[]])[]) {
  const sums = given.map(([label, tone, values]) => ({ label, tone, sum: total(values) }));
  const all = total(sums.map(({ sum }) => sum));
  const [worst] = sums
    .filter(({ tone }) => tone === 'bad' || tone === 'warning')
    .sort((one, other) => other.sum - one.sum);
  const part = worst === undefined || all === 0 ? 0 : worst.sum / all;
  const tone = worst?.tone === 'bad' ? ('bad' as const) : ('warning' as const);
  return {
    ...lines(name, countText, given),
    kind: 'bars' as const,
    figure: countText(all),
    remark: worst === undefined || part === 0 ? texts.figures.none : texts.figures.part(part, worst.label),
    remarkTone: part < NOTED_SHARE ? ('muted' as const) : tone,
  };
}

function lines(name: PlotData['name'], format: (value: number) => string, given: readonly Line[]) {
  return {
    name,
    kind: 'lines' as const,
    lines: given.map(([label, tone, values]) => ({ label, tone, values })),
    format,
    remarkTone: 'muted' as const,
    nothing: texts.nothing,
  };
}

/** Whether a plot has anything to show. */
export const isEmptyPlot = ({ lines: all }: PlotData): boolean =>
  all.every(({ values }) => values.every((value) => !value));
