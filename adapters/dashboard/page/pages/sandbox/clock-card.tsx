import { useEffect } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { shownZone, useNow } from '../../parts/time.tsx';
import { demoClock, followTurn, readDemoClock, turnClock } from '../../state/demo-clock.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { noteOwnAct } from './timeline-entries.ts';

const texts = sandboxTexts.clock;
const HOUR_MS = 3_600_000;
const STEPS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;

/** The demo's clock: its time, the steps by which it is turned, and how far a turn is. */
export function ClockCard({ onTurned }: { readonly onTurned: () => void }) {
  const now = useNow(1_000);
  const clock = demoClock.value;
  const turn = clock?.turn ?? null;
  const advance = useAction(async (ms: number) => {
    const from = dayAndTime(now);
    await turnClock(ms);
    noteOwnAct(sandboxTexts.timeline.someone, sandboxTexts.timeline.turned(from, dayAndTime(now + ms)));
  });
  const isTurning = turn !== null;
  useEffect(() => {
    void readDemoClock().catch(() => undefined);
  }, []);
  useEffect(() => {
    if (!isTurning) return;
    const leaving = new AbortController();
    void followTurn(leaving.signal).then(() => {
      if (!leaving.signal.aborted) onTurned();
    });
    return () => leaving.abort();
  }, [isTurning]);
  const offsetMs = clock?.offsetMs ?? 0;
  return (
    <section class="card clock" aria-labelledby="sandbox-clock">
      <h2 id="sandbox-clock" class="hidden">
        {texts.title}
      </h2>
      <div class="clock-now">
        <p class="clock-time">{dayAndTime(turn?.at ?? now)}</p>
        <p class="muted small">
          {shownZone()} · {offsetMs < 60_000 ? texts.real : texts.ahead(lengthOf(offsetMs))}
        </p>
      </div>
      <div class="row">
        {(Object.keys(STEPS) as (keyof typeof STEPS)[]).map((step) => (
          <Button key={step} isDisabled={isTurning} onClick={() => advance.run(STEPS[step])}>
            {texts.steps[step]}
          </Button>
        ))}
      </div>
      <div class="clock-progress">
        {turn === null ? <p class="muted small">{texts.hint}</p> : <TurnProgress {...turn} />}
      </div>
      <ErrorNote error={advance.error} />
    </section>
  );
}

interface TurnProgressProps {
  readonly fromAt: number;
  readonly toAt: number;
  readonly at: number;
  readonly wakeUps: number;
}

function TurnProgress({ fromAt, toAt, at, wakeUps }: TurnProgressProps) {
  const percent = Math.floor((100 * (at - fromAt)) / (toAt - fromAt));
  return (
    <>
      <p class="small">
        {texts.turning(dayAndTime(toAt))} <span class="muted">{texts.done(percent, wakeUps.toLocaleString('en'))}</span>
      </p>
      <progress class="turn" max={100} value={percent} aria-label={texts.turning(dayAndTime(toAt))} />
    </>
  );
}

/** Returns a time as `Mon 23 Nov, 14:41:50` in the chosen zone. */
export function dayAndTime(at: number): string {
  return `${formatted(at, { weekday: 'short', day: 'numeric', month: 'short' })}, ${timeOfDay(at)}`;
}

/** Returns a time of the day of `now` as `14:41:50`, and another with its day. */
export function timeFrom(now: number, at: number): string {
  const day = { day: 'numeric', month: 'short' } as const;
  const isSameDay = formatted(at, day) === formatted(now, day);
  return isSameDay ? timeOfDay(at) : `${formatted(at, day)}, ${timeOfDay(at)}`;
}

const timeOfDay = (at: number): string => formatted(at, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const formatted = (at: number, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: shownZone(), ...parts }).format(at);

/** Returns a length to the minute. Real time passes while the clock is turned, so that a turn falls short by seconds. */
function lengthOf(exactMs: number): string {
  const ms = Math.round(exactMs / 60_000) * 60_000;
  const days = Math.floor(ms / STEPS.day);
  const hours = Math.floor((ms % STEPS.day) / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / 60_000);
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  return hours > 0 ? `${hours} h` : `${minutes} min`;
}
