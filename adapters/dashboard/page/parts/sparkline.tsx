interface Bar {
  readonly id: string;
  readonly isGood: boolean;
  /** Size of the bar; a failure is as high as the picture, with a gap in it. */
  readonly value: number;
}

const BAR = 5;
const GAP = 1;
const HEIGHT = 24;
const LEAST = 3;

/** Bars of the newest attempts, the latest at the right. `label` says in words what it shows. */
export function Sparkline({
  bars,
  places,
  label,
}: {
  readonly bars: readonly Bar[];
  readonly places: number;
  readonly label: string;
}) {
  const width = places * (BAR + GAP) - GAP;
  const shown = bars.slice(-places);
  const first = places - shown.length;
  const most = Math.max(1, ...shown.map(({ value }) => value));
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={label}
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
    >
      <title>{label}</title>
      <path class="sparkline-base" d={`M0 ${HEIGHT - 0.5}H${width}`} />
      {shown.map(({ id, isGood, value }, index) => {
        const x = (first + index) * (BAR + GAP);
        const height = Math.max(LEAST, Math.round((HEIGHT * Math.log1p(value)) / Math.log1p(most)));
        return isGood ? (
          <rect key={id} class="sparkline-good" x={x} y={HEIGHT - height} width={BAR} height={height} rx={1} />
        ) : (
          <path key={id} class="sparkline-bad" d={`M${x} 0h${BAR}v15h-${BAR}zM${x} 18h${BAR}v6h-${BAR}z`} />
        );
      })}
    </svg>
  );
}
