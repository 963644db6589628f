import type { MeasurementList } from 'kalends/model';
import { overviewTexts } from '../../texts/en/overview.ts';
import { callState, totalSince } from './series.ts';

const texts = overviewTexts.attention;
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
const BUDGET_SHARE = 0.8;
/** Single failures are a provider's everyday life. */
const FAILING_SHARE = 0.05;
/** Fewer failures say little of a provider. */
const MANY_FAILURES = 10;

export interface Trouble {
  readonly tone: 'bad' | 'warning';
  readonly text: string;
}

/** Returns what a person ought to know of the calls of a provider. */
export function providerTroubles(list: MeasurementList, provider: string, now: number): readonly Trouble[] {
  const count = (state?: string) =>
    totalSince(
      list,
      now - QUARTER_MS,
      (series) =>
        series.name === 'providerCalls' &&
        series.provider === provider &&
        (state === undefined || callState(series.result) === state),
    ).count;
  const calls = count();
  const failed = count('failed');
  const throttled = count('throttled');
  const used = totalSince(list, now - HOUR_MS, (each) => each.name === 'budgetUsed' && each.provider === provider).max;
  const found: Trouble[] = [];
  if (failed > calls * FAILING_SHARE) {
    const tone = failed < MANY_FAILURES ? 'warning' : 'bad';
    found.push({ tone, text: texts.failing(provider, failed, calls) });
  }
  if (throttled > 0) found.push({ tone: 'warning', text: texts.throttled(provider, throttled, calls) });
  if (used >= BUDGET_SHARE) found.push({ tone: 'warning', text: texts.budget(provider, used) });
  return found;
}
