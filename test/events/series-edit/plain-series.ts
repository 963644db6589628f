/**
 * Series as a person thinks of them: occurrences on days, at a time of day, for so many minutes. Written from what the
 * documentation promises, without a line of the engine; days are numbers, counted from 1970.
 */
export interface PlainRule {
  readonly freq: 'DAILY' | 'WEEKLY';
  readonly interval: number;
  /** Weekdays from 0 for Monday; empty for a daily rule. */
  readonly days: readonly number[];
  /** On which a week begins. */
  readonly wkst: number;
  readonly end: { readonly count: number } | { readonly until: number } | null;
}

export interface PlainException {
  readonly isCancelled: boolean;
  readonly title?: string;
  readonly minutes?: number;
  readonly length?: number;
}

export interface PlainSeries {
  readonly id: string;
  readonly title: string;
  readonly day: number;
  readonly minutes: number;
  readonly length: number;
  readonly rule: PlainRule;
  readonly exceptions: ReadonlyMap<number, PlainException>;
}

/** The fields of an edit: times are those of the occurrence that it names, `days` how far it is moved. */
export interface PlainEdit {
  readonly title?: string;
  readonly times?: { readonly days: number; readonly minutes: number; readonly length: number };
  readonly rule?: PlainRule;
}

const FARTHEST = 400;

export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

function isDay({ freq, interval, days, wkst }: PlainRule, start: number, day: number): boolean {
  if (freq === 'DAILY') return (day - start) % interval === 0;
  const weekOf = (at: number) => Math.floor((at - ((weekdayOf(at) - wkst + 7) % 7)) / 7);
  return days.includes(weekdayOf(day)) && (weekOf(day) - weekOf(start)) % interval === 0;
}

/** Every day that has an occurrence, cancelled or not. */
export function slotsOf({ day: start, rule }: PlainSeries): readonly number[] {
  const slots: number[] = [];
  for (let day = start; day < start + FARTHEST; day += 1) {
    if (rule.end !== null && 'until' in rule.end && day > rule.end.until) break;
    if (rule.end !== null && 'count' in rule.end && slots.length >= rule.end.count) break;
    if (isDay(rule, start, day)) slots.push(day);
  }
  return slots;
}

export function isCancelled({ exceptions }: PlainSeries, day: number): boolean {
  return exceptions.get(day)?.isCancelled === true;
}

/** The living occurrences as `day minutes length title`. */
export function shownOf(series: PlainSeries, from: number, to: number): readonly string[] {
  return slotsOf(series).flatMap((day) => {
    const own = series.exceptions.get(day);
    if (own?.isCancelled || day < from || day >= to) return [];
    const { title, minutes, length } = { ...series, ...own };
    return [`${day} ${minutes} ${length} ${title}`];
  });
}

/** An edit of one occurrence. Cancelling forgets what it said; an edit of a cancelled one brings it back. */
export function editThis(series: PlainSeries, day: number, edit: PlainEdit | 'cancel'): PlainSeries {
  const before = isCancelled(series, day) ? undefined : series.exceptions.get(day);
  const own =
    edit === 'cancel'
      ? { isCancelled: true }
      : {
          ...before,
          isCancelled: false,
          ...(edit.title === undefined ? {} : { title: edit.title }),
          ...(edit.times === undefined ? {} : { minutes: edit.times.minutes, length: edit.times.length }),
        };
  return { ...series, exceptions: new Map([...series.exceptions, [day, ownTimes(own, series)]]) };
}

/** An occurrence whose times are those of its series has none of its own. */
function ownTimes({ minutes, length, ...own }: PlainException, series: PlainSeries): PlainException {
  if (minutes === undefined || length === undefined) return own;
  return minutes === series.minutes && length === series.length ? own : { ...own, minutes, length };
}

/** An edit of the whole series; `named` is the day of the occurrence that it was said of. */
export function editAll(series: PlainSeries, edit: PlainEdit, named?: number): PlainSeries {
  const moved = edit.times === undefined ? series : move(series, edit.times);
  const next = { ...moved, title: edit.title ?? series.title, rule: edit.rule ?? moved.rule };
  const slots = new Set(slotsOf(next));
  const kept = [...series.exceptions].filter(([day]) => slots.has(day));
  const stated = (day: number, own: PlainException) => (day === named ? unsaid(own, edit) : own);
  return { ...next, exceptions: new Map(kept.map(([day, own]) => [day, ownTimes(stated(day, own), next)])) };
}

/** Sent fields overwrite the occurrence's own overrides. */
function unsaid({ isCancelled, title, minutes, length }: PlainException, edit: PlainEdit): PlainException {
  return {
    isCancelled,
    ...(title === undefined || edit.title !== undefined ? {} : { title }),
    ...(minutes === undefined || edit.times !== undefined ? {} : { minutes }),
    ...(length === undefined || edit.times !== undefined ? {} : { length }),
  };
}

function move(series: PlainSeries, { days, minutes, length }: NonNullable<PlainEdit['times']>): PlainSeries {
  const { rule } = series;
  const turn = (weekday: number) => (((weekday + days) % 7) + 7) % 7;
  const end = rule.end !== null && 'until' in rule.end ? { until: rule.end.until + days } : rule.end;
  return {
    ...series,
    day: series.day + days,
    minutes,
    length,
    rule: { ...rule, days: rule.days.map(turn), wkst: turn(rule.wkst), end },
  };
}

/** Whether everything before an occurrence is cancelled, so that it is the first. */
export function isFirst(series: PlainSeries, day: number): boolean {
  return slotsOf(series).every((slot) => slot >= day || isCancelled(series, slot));
}

/** The part of a series before an occurrence. */
export function headOf(series: PlainSeries, day: number): PlainSeries {
  const before = slotsOf(series).filter((slot) => slot < day);
  const { end } = series.rule;
  const cut = end !== null && 'count' in end ? { count: before.length } : { until: day - 1 };
  return { ...series, rule: { ...series.rule, end: cut }, exceptions: part(series, (slot) => slot < day) };
}

/** The part from an occurrence on, edited. */
export function tailOf(series: PlainSeries, day: number, edit: PlainEdit, id: string): PlainSeries {
  const spent = slotsOf(series).filter((slot) => slot < day).length;
  const { end } = series.rule;
  const rest = end !== null && 'count' in end ? { count: end.count - spent } : end;
  const tail = {
    ...series,
    id,
    day,
    rule: { ...series.rule, end: rest },
    exceptions: part(series, (slot) => slot >= day),
  };
  return editAll(tail, edit, day);
}

function part({ exceptions }: PlainSeries, admits: (day: number) => boolean): ReadonlyMap<number, PlainException> {
  return new Map([...exceptions].filter(([day]) => admits(day)));
}
