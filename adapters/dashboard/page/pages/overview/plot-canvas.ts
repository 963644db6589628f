import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shownZone } from '../../parts/time.tsx';
import { durationText } from '../../texts/en/overview.ts';
import type { PlotData } from './plots-of.ts';

const HEIGHT = 132;
/** Seconds between two labels, so that they are whole minutes and hours. */
const DURATION_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600,
  7_200, 14_400, 43_200, 86_400,
];
const FONT = '11px system-ui, sans-serif';

/** Colours of the page as it is now: a canvas knows no custom properties. */
export interface PlotColours {
  readonly axis: string;
  readonly grid: string;
  /** One for each line. */
  readonly lines: readonly string[];
}

/** Draws a plot into an element, and returns what removes it. `onStep` is told the step under the pointer. */
export function drawPlot(
  element: HTMLElement,
  plot: PlotData,
  colours: PlotColours,
  onStep: (index: number | undefined) => void,
): () => void {
  const zone = shownZone();
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  const axis = { stroke: colours.axis, font: FONT, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false } };
  const steps = plot.format === durationText ? { incrs: DURATION_STEPS } : {};
  const drawn = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 6 } },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zone),
      scales: { y: { range: (_plot, _min, max) => [0, max * 1.08] } },
      axes: [
        { ...axis, size: 24, space: 64, values: (_plot, splits) => splits.map((each) => time.format(each * 1_000)) },
        {
          ...axis,
          ...steps,
          size: 56,
          space: 32,
          values: (_plot, splits) => splits.map((each) => labelOf(plot, each)),
        },
      ],
      series: [{}, ...seriesOf(plot, colours)],
      hooks: { setCursor: [({ cursor }) => onStep(cursor.idx ?? undefined)] },
    },
    [plot.times.map((at) => at / 1_000), ...stacked(plot)] as uPlot.AlignedData,
    element,
  );
  const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    drawn.destroy();
  };
}

/** A scale of whole things has no label between two of them. */
function labelOf({ kind, format }: PlotData, value: number): string {
  return kind === 'bars' && !Number.isInteger(value) ? '' : format(value);
}

/** Bars are drawn from the tallest to the first, so that each covers the part of those above it. */
function seriesOf({ kind, lines }: PlotData, colours: PlotColours): uPlot.Series[] {
  const bars = uPlot.paths.bars?.({ size: [0.65, 24] });
  const all = lines.map((_line, index): uPlot.Series => {
    const colour = colours.lines[index] ?? colours.axis;
    return kind === 'bars' && bars !== undefined
      ? { fill: colour, stroke: colour, width: 0, paths: bars, points: { show: false } }
      : { stroke: colour, width: 1.5, points: { show: false } };
  });
  return kind === 'bars' ? all.toReversed() : all;
}

/** Returns the heights of the tops of all bars; null for a part of nothing, whose edges would show beside those above it. */
function stacked({ kind, lines, times }: PlotData): readonly (readonly (number | null)[])[] {
  if (kind === 'lines') return lines.map(({ values }) => values);
  const sums = times.map(() => 0);
  const tops = lines.map(({ values }) =>
    sums.map((below, index) => {
      const value = values[index] ?? 0;
      sums[index] = below + value;
      return value === 0 ? null : below + value;
    }),
  );
  return tops.toReversed();
}
