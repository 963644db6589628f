import { DAY_MS, formatDate, formatWall } from '../zones/index.ts';
import type { Occurrence } from './occurrence.ts';
import { RecurrenceError } from './recurrence-error.ts';
import {
  isSubDaily,
  type RecurrenceDate,
  type RecurrenceLines,
  type RecurrenceRule,
  type RecurrenceTime,
} from './recurrence-rule.ts';
import { serializeRecurrence } from './serialize-recurrence.ts';
import { compileSeries, firstFrom, type Series } from './series.ts';
import { dateOccurrence, readContext, resolved, type SeriesContext, type SeriesDefinition } from './series-context.ts';
import { compileSubDailyRule } from './sub-daily-rule.ts';

/** One half of a split series, ready to be stored. */
export interface SeriesHalf {
  readonly dtstart: string;
  readonly lines: readonly string[];
}

/** The halves of a split; `before` is undefined when the split is at the first occurrence. */
export interface SeriesSplit {
  readonly before: SeriesHalf | undefined;
  readonly after: SeriesHalf;
}

type Dates = Pick<RecurrenceLines, 'dates' | 'exceptionDates'>;

/** Upper bound of the shift by a gap. */
const REACH_MS = 26 * 3_600_000;

/**
 * Splits a series for "this and following": `before` keeps the slots that start earlier than `slot`, `after` has it
 * and all later ones, and together they are the old series. COUNT and UNTIL are divided, RDATEs and EXDATEs
 * distributed. `slot` is an occurrence of the series; the halves keep the zone, and `before` the dtstart. Exceptions belong to
 * the half with their slot.
 * @throws RecurrenceError when `slot` is not in the series, when a half would begin in the second pass of an hour that the clocks
 * repeat, when a change of the clocks by less than an hour has moved the hours of `HOURLY;BYMINUTE=…` with an INTERVAL or BYSETPOS, or
 * when the series has EXRULEs or several rules, whose phases depend on the one dtstart that both halves cannot have.
 */
export function splitSeries(definition: SeriesDefinition, slot: Pick<Occurrence, 'startMs'>): SeriesSplit {
  const series = compileSeries(definition);
  const { rules, exceptionRules } = series.recurrence;
  if (exceptionRules.length > 0) throw new RecurrenceError('EXRULE', 'cannot be split');
  if (rules.length > 1) throw new RecurrenceError('RRULE', 'several rules cannot be split');
  if (series.slotAt(slot.startMs) === undefined) {
    throw new RecurrenceError('split', `the series has no occurrence at ${formatWall(slot.startMs)} UTC`);
  }
  const split = rules[0] === undefined ? undefined : splitRule(definition, rules[0], slot.startMs);
  const dealt = dealDates(definition, series, slot.startMs);
  return {
    before:
      series.first()?.startMs === slot.startMs
        ? undefined
        : { dtstart: definition.dtstart, lines: serializeRecurrence({ ...linesOf(split?.head), ...dealt.before }) },
    after:
      split?.tail === undefined
        ? datesAlone(definition, series, slot.startMs)
        : {
            dtstart: wallText(series, split.tailWallMs),
            lines: serializeRecurrence({ ...linesOf(split.tail), ...dealt.after }),
          },
  };
}

function linesOf(rule?: RecurrenceRule): RecurrenceLines {
  return { rules: rule ? [rule] : [], exceptionRules: [], dates: [], exceptionDates: [] };
}

interface RuleSplit {
  readonly head: RecurrenceRule;
  /** Undefined when the rule has no slot from the split on. */
  readonly tail: RecurrenceRule | undefined;
  readonly tailWallMs: number;
}

function splitRule(definition: SeriesDefinition, rule: RecurrenceRule, splitMs: number): RuleSplit {
  const alone = seriesOf(definition, rule);
  const ahead = firstFrom(alone.occurrences, splitMs);
  if (ahead === undefined) return { head: rule, tail: undefined, tailWallMs: splitMs };
  const { startMs } = ahead;
  const tailWallMs = firstNominal(alone, startMs);
  requireStart(definition, tailWallMs, startMs, rule);
  const cut = { ...rule, count: undefined, until: untilBefore(alone, ahead) };
  if (rule.count === undefined) return { head: cut, tail: rule, tailWallMs };
  // COUNT counts slots by the clock, even two that a gap merges, save where only those that exist are slots.
  const spent =
    isSubDaily(rule.freq) || definition.gap === 'skip'
      ? slotsBefore(alone, startMs, rule.count)
      : slotsBefore(seriesOf({ ...definition, timeZone: null }, rule), tailWallMs, rule.count);
  const counted = { ...rule, count: spent };
  // Of two slots that a gap merges, the earlier by the clock counts as spent.
  const isCountable =
    spent > 0 &&
    rule.until === undefined &&
    firstFrom(seriesOf(definition, counted).occurrences, splitMs) === undefined;
  return { head: isCountable ? counted : cut, tail: { ...rule, count: rule.count - spent }, tailWallMs };
}

function seriesOf(definition: SeriesDefinition, rule: RecurrenceRule): Series {
  return compileSeries({ ...definition, lines: serializeRecurrence(linesOf(rule)) });
}

function slotsBefore(series: Series, to: number, limit: number): number {
  return series.occurrences({ from: Number.NEGATIVE_INFINITY, to, limit }).length;
}

/**
 * Refuses a start of a half from which its slots would be others: the second pass of an hour that the clocks repeat, for its wall time
 * names the first, and a time from which the windows of an hourly rule would begin at another minute.
 */
function requireStart(definition: SeriesDefinition, wallMs: number, startMs: number, rule?: RecurrenceRule): void {
  const context = readContext(definition);
  const isSecond = resolved(context, wallMs).startMs < startMs;
  if (isSecond || (rule !== undefined && isSubDaily(rule.freq) && turnsWindows(rule, context, wallMs))) {
    const fault = isSecond ? 'ambiguous in its zone' : 'within an hour that the clocks have moved';
    throw new RecurrenceError('split', `${formatWall(wallMs)} is ${fault} and cannot start a series`);
  }
}

function turnsWindows(rule: RecurrenceRule, { startWallMs, table }: SeriesContext, wallMs: number): boolean {
  const { originMs, stepMs, lengthMs, positions } = compileSubDailyRule(rule, startWallMs, table, 0);
  const turnMs = (compileSubDailyRule(rule, wallMs, table, 0).originMs - originMs) % stepMs;
  // Windows without breaks are the same hours wherever they begin, unless positions count in each.
  return turnMs !== 0 && (stepMs > lengthMs || positions !== undefined);
}

/** Returns the earliest nominal wall time of the slots from here on; around a gap it may not be the first slot's. */
function firstNominal(series: Series, startMs: number): number {
  const near = series.occurrences({ from: startMs, to: startMs + REACH_MS });
  return near.reduce((least, occurrence) => Math.min(least, occurrence.wallMs), Number.POSITIVE_INFINITY);
}

/** Returns an UNTIL just before a slot: in UTC for a series in a zone, as Google requires, else local. */
function untilBefore(series: Series, slot: Occurrence): RecurrenceTime {
  if (series.isAllDay) return { form: 'date', wallMs: slot.wallMs - DAY_MS };
  return { form: series.timeZone === null ? 'local' : 'utc', wallMs: slot.startMs - 1000 };
}

function dealDates(
  definition: SeriesDefinition,
  series: Series,
  splitMs: number,
): { readonly before: Dates; readonly after: Dates } {
  const context = readContext(definition);
  const isBefore = (date: RecurrenceDate): boolean => dateOccurrence(context, date).startMs < splitMs;
  // A plain date as EXDATE of a timed series removes its whole day, which may be on both sides.
  const isDay = (date: RecurrenceDate): boolean => date.time.form === 'date' && !context.isAllDay;
  const { rules, dates, exceptionDates } = series.recurrence;
  const deal = (isEarlier: boolean) => ({
    dates: dates.filter((date) => isBefore(date) === isEarlier),
    exceptionDates: exceptionDates.filter((date) => isDay(date) || isBefore(date) === isEarlier),
  });
  const before = deal(true);
  const first = resolved(context, series.dtstartMs);
  // Without a rule dtstart is a slot, which may come after RDATEs.
  if (rules.length === 0 && first.startMs >= splitMs) before.exceptionDates.push(dateAt(series, first));
  const after = deal(false);
  // A plain date as RDATE takes the time of day of dtstart, which the later half may not have.
  const timed = after.dates.map((date) => (isDay(date) ? dateAt(series, dateOccurrence(context, date)) : date));
  return { before, after: { ...after, dates: timed } };
}

/** Builds a half without a rule from the slots from an instant on: the first as dtstart, the others as RDATEs. */
function datesAlone(definition: SeriesDefinition, series: Series, from: number): SeriesHalf {
  const [first, ...others] = series.occurrences({ from, to: Number.POSITIVE_INFINITY });
  const { wallMs } = first!;
  requireStart(definition, wallMs, first!.startMs);
  const dates = others.map((slot) => dateAt(series, slot));
  return { dtstart: wallText(series, wallMs), lines: serializeRecurrence({ ...linesOf(), dates }) };
}

/** Returns the start of a slot as a date of a line: in UTC for a series in a zone, else local. */
function dateAt(series: Series, { startMs, durationMs }: Occurrence): RecurrenceDate {
  const form = series.isAllDay ? 'date' : series.timeZone === null ? 'local' : 'utc';
  return { time: { form, wallMs: startMs }, ...(durationMs === undefined ? {} : { durationMs }) };
}

function wallText(series: Series, wallMs: number): string {
  return series.isAllDay ? formatDate(wallMs) : formatWall(wallMs);
}
