import { invalid } from '../errors.ts';
import {
  MEASUREMENT_STEPS,
  type MeasurementList,
  type MeasurementPoint,
  type MeasurementQuery,
  type MeasurementSeries,
  measurementQuery,
  parseInput,
} from '../model/index.ts';
import type { Clock, MeasurementRow, MeasurementStore } from '../ports/index.ts';
import { isSeriesName, SERIES } from './measured-series.ts';
import { MINUTE_MS } from './measurement-buffer.ts';

const HOUR_MS = 3_600_000;
const ORDER: readonly string[] = SERIES;

/** Creates the reader of what all processes have measured. */
export function createMeasurementReader(dependencies: {
  readonly measurements: MeasurementStore;
  readonly clock: Clock;
}): (query?: MeasurementQuery) => Promise<MeasurementList> {
  const { measurements, clock } = dependencies;
  return async (query = {}) => {
    const { names, ...times } = parseInput(measurementQuery, query);
    const until = times.until === undefined ? clock.now() : Date.parse(times.until);
    const since = times.since === undefined ? until - HOUR_MS : Date.parse(times.since);
    const stepMs = times.stepMs ?? MINUTE_MS;
    if (stepMs % MINUTE_MS !== 0) throw invalid('stepMs', `must be whole minutes: a multiple of ${MINUTE_MS}`);
    if (since >= until) throw invalid('since', 'must be before until');
    // Whole steps, so that no point shows a part of its time.
    const from = since - (since % stepMs);
    // The time as it was asked for: a day by the minute may begin within one.
    if ((until - since) / stepMs > MEASUREMENT_STEPS) {
      throw invalid('stepMs', `must divide the time into at most ${MEASUREMENT_STEPS} steps: take a longer one`);
    }
    const rows = await measurements.list({ names: checkNames(names), from, to: until, stepMs });
    return { since: isoText(from), until: isoText(until), stepMs, data: seriesOf(rows) };
  };
}

function checkNames(text: string | undefined): readonly string[] {
  if (text === undefined) return SERIES;
  const names = text.split(',');
  if (names.every(isSeriesName)) return names;
  throw invalid('names', `must be a list of ${SERIES.join(', ')}, separated by commas`);
}

/** Groups rows by their series, in the order of SERIES. */
function seriesOf(rows: readonly MeasurementRow[]): MeasurementSeries[] {
  const found = new Map<string, MeasurementSeries & { readonly points: MeasurementPoint[] }>();
  for (const { at, name, provider, result, count, sum, max } of rows) {
    const key = `${name} ${provider} ${result}`;
    const series = found.get(key) ?? { name, provider, result, count: 0, sum: 0, max, points: [] };
    found.set(key, series);
    series.count += count;
    series.sum += sum;
    series.max = Math.max(series.max, max);
    series.points.push({ at: isoText(at), count, sum, max });
  }
  return [...found.values()]
    .sort((one, other) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name))
    .map((series) => ({ ...series, provider: series.provider || null, result: series.result || null }));
}

const isoText = (at: number) => new Date(at).toISOString();
