import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { absoluteTime, shownZone } from '../../parts/time.tsx';
import { theme } from '../../state/preferences.ts';
import { overviewTexts as texts } from '../../texts/en/overview.ts';
import { isEmptyPlot, type PlotData } from './plots-of.ts';

/** A plot with its number, its legend, and the same as a table. */
export function PlotCard({ plot }: { readonly plot: PlotData }) {
  const id = useId();
  const [step, setStep] = useState<number>();
  const { title, unit } = texts.plots[plot.name];
  const isEmpty = isEmptyPlot(plot);
  return (
    <section class="card plot-card" aria-labelledby={id}>
      <div class="plot-head">
        <h2 id={id}>{title}</h2>
        <p class="plot-figure">
          <strong>{plot.figure}</strong> <span class="muted small">{unit}</span>
        </p>
        <p class={`small plot-remark ${plot.remarkTone}`}>{isEmpty ? '' : plot.remark}</p>
      </div>
      {isEmpty ? <p class="plot-empty muted">{plot.nothing}</p> : <Canvas plot={plot} onStep={setStep} />}
      {isEmpty ? null : (
        <>
          <Legend plot={plot} step={step} />
          <Table plot={plot} title={title} />
        </>
      )}
    </section>
  );
}

/** The picture itself, for eyes alone: readers of screens have the table. */
function Canvas({ plot, onStep }: { readonly plot: PlotData; readonly onStep: (step: number | undefined) => void }) {
  const element = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isGone = false;
    void import('./plot-canvas.ts').then(({ drawPlot }) => {
      if (isGone || element.current === null) return;
      remove = drawPlot(element.current, plot, coloursOf(element.current, plot), onStep);
    });
    return () => {
      isGone = true;
      remove?.();
    };
  }, [plot, isDark, theme.value]);
  return <div class="plot-canvas" ref={element} aria-hidden="true" />;
}

/** Reads the colours of the page from elements that have them: custom properties are not resolved. */
function coloursOf(element: HTMLElement, { lines }: PlotData) {
  const colourOf = (name: string) => {
    const probe = document.createElement('span');
    probe.className = `tone-${name}`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  return { axis: colourOf('axis'), grid: colourOf('grid'), lines: lines.map(({ tone }) => colourOf(tone)) };
}

function useIsDark(): boolean {
  const [media] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setDark] = useState(media.matches);
  useEffect(() => {
    const change = () => setDark(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return isDark;
}

/** Names the lines; under the pointer, with the values of that step. */
function Legend({ plot, step }: { readonly plot: PlotData; readonly step: number | undefined }) {
  const at = step === undefined ? undefined : plot.times[step];
  return (
    <div class="plot-legend small" aria-hidden="true">
      {plot.lines.map(({ label, tone, values }) => {
        const value = step === undefined ? undefined : values[step];
        return (
          <span key={label} class="row">
            <span class={`swatch tone-${tone}`} />
            {label}
            {value === undefined || value === null ? null : <strong>{plot.format(value)}</strong>}
          </span>
        );
      })}
      <span class="muted plot-time">{at === undefined ? '' : shortTime(at)}</span>
    </div>
  );
}

function shortTime(at: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: shownZone(),
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(at);
}

function Table({ plot, title }: { readonly plot: PlotData; readonly title: string }) {
  const [isOpen, setOpen] = useState(false);
  const zone = shownZone();
  const steps = plot.times
    .map((at, index) => ({ at, values: plot.lines.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value))
    .toReversed();
  return (
    <details class="sample plot-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {texts.asTable}
        <span class="hidden">: {title}</span>
      </summary>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard
        <section class="plot-rows" tabIndex={0} aria-label={title}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{texts.time}</th>
                {plot.lines.map(({ label }) => (
                  <th key={label} scope="col" class="end">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {steps.map(({ at, values }) => (
                <tr key={at}>
                  <td>
                    <time dateTime={new Date(at).toISOString()} title={absoluteTime(at, zone)}>
                      {shortTime(at)}
                    </time>
                  </td>
                  {values.map((value, index) => (
                    <td key={plot.lines[index]?.label} class="end">
                      {value === null ? '–' : plot.format(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
    </details>
  );
}
