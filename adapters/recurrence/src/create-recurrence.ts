import { describeRecurrence, type Language } from '../../../src/describe/index.ts';
import {
  compileSeries,
  type Occurrence,
  RecurrenceError,
  type RecurrenceRule,
  type Series,
  serializeRecurrence,
} from '../../../src/recurrence/index.ts';
import { formatDate, formatWall } from '../../../src/zones/index.ts';
import { boundedOccurrences, collect, EVERYTHING, type Limit } from './collect.ts';
import { type Moment, readMoment } from './moment.ts';
import { readBackwards } from './read-backwards.ts';
import type { Recurrence, RecurrenceDefinition } from './recurrence.ts';
import { formNamed, formOfClass, type ResultForms, type TemporalClass, type ToResult } from './result-form.ts';
import { basic, positionOf } from './time-frame.ts';

/** @throws RecurrenceError naming the part that cannot be read */
export function createRecurrence(definition: RecurrenceDefinition): Recurrence {
  const { lines, gap, start } = definition;
  const { dtstart, timeZone, zones } = start;
  const series = compileSeries({ dtstart, timeZone, lines, zones, ...(gap === undefined ? {} : { gap }) });
  return new CompiledRecurrence(definition, series, formNamed('date', start));
}

/** A class, since programs make recurrences by the thousand: an object of closures takes ten times as long. */
class CompiledRecurrence<Value> implements Recurrence<Value> {
  readonly series: Series;
  readonly #definition: RecurrenceDefinition;
  readonly #toResult: ToResult<Value>;

  constructor(definition: RecurrenceDefinition, series: Series, toResult: ToResult<Value>) {
    this.#definition = definition;
    this.series = series;
    this.#toResult = toResult;
  }

  get start(): string {
    return this.isAllDay ? formatDate(this.series.dtstartMs) : formatWall(this.series.dtstartMs);
  }

  get timeZone(): string | null {
    return this.#definition.start.timeZone;
  }

  get isAllDay(): boolean {
    return this.#definition.start.isAllDay;
  }

  get isFinite(): boolean {
    return this.series.isFinite;
  }

  get lines(): readonly string[] {
    return serializeRecurrence(this.series.recurrence);
  }

  get rules(): readonly RecurrenceRule[] {
    return this.series.recurrence.rules;
  }

  all(limit?: Limit<Value>): Value[] {
    if (limit === undefined) this.#checkEnds('all', 'give a limit, or ask between two moments');
    return collect(this.series, EVERYTHING, limit, this.#toResult);
  }

  between(after: Moment, before: Moment, inc = false, limit?: Limit<Value>): Value[] {
    const range = { from: this.#lower(after, inc, 'after'), to: this.#upper(before, inc, 'before') };
    return collect(this.series, range, limit, this.#toResult);
  }

  after(moment: Moment, inc = false): Value | null {
    const from = this.#lower(moment, inc, 'after');
    return this.#one(this.series.occurrences({ from, to: EVERYTHING.to, limit: 1 })[0]);
  }

  before(moment: Moment, inc = false): Value | null {
    return this.#one(readBackwards(this.series, this.#upper(moment, inc, 'before')).next().value);
  }

  first(): Value | null {
    return this.#one(this.series.first());
  }

  last(): Value | null {
    this.#checkEnds('last', 'ask for the one before a moment');
    return this.#one(this.series.last());
  }

  includes(moment: Moment): boolean {
    return this.series.slotAt(this.#position(moment, 'moment')) !== undefined;
  }

  count(): number {
    this.#checkEnds('count', 'count the results between two moments');
    return boundedOccurrences(this.series, EVERYTHING).length;
  }

  [Symbol.iterator](): Generator<Value, void, undefined> {
    return this.forwards();
  }

  // Bounds are read before the generator, so that a fault in them does not wait for the first step.
  forwards(after?: Moment, inc = false): Generator<Value, void, undefined> {
    const from = after === undefined ? EVERYTHING.from : this.#lower(after, inc, 'after');
    return results(this.series.iterate({ ...EVERYTHING, from }), this.#toResult);
  }

  backwards(before?: Moment, inc = false): Generator<Value, void, undefined> {
    const end = before === undefined ? this.#end() : this.#upper(before, inc, 'before');
    return results(readBackwards(this.series, end), this.#toResult);
  }

  as<Name extends keyof ResultForms>(form: Name): Recurrence<ResultForms[Name]>;
  as<Other>(type: TemporalClass<Other>): Recurrence<Other>;
  as(form: keyof ResultForms | TemporalClass<unknown>): Recurrence<unknown> {
    const definition = this.#definition;
    const isName = typeof form === 'string';
    const other = isName
      ? formNamed(form, definition.start)
      : formOfClass(form, definition.start, this.series.dtstartMs);
    return new CompiledRecurrence<unknown>(definition, this.series, other);
  }

  toText(language?: Language): string {
    return describeRecurrence(this.lines, language);
  }

  toString(): string {
    return [...this.#definition.zoneLines, startLine(this.start, this.timeZone), ...this.lines].join('\n');
  }

  #position(moment: Moment, part: string): number {
    return positionOf(readMoment(moment, part), this.#definition.start, part);
  }

  /** Returns where a half-open range begins that excludes a moment, or includes it. */
  #lower(moment: Moment, inc: boolean, part: string): number {
    const position = this.#position(moment, part);
    return inc ? Math.ceil(position) : Math.floor(position) + 1;
  }

  /** Returns where a half-open range ends that excludes a moment, or includes it. */
  #upper(moment: Moment, inc: boolean, part: string): number {
    const position = this.#position(moment, part);
    return inc ? Math.floor(position) + 1 : Math.ceil(position);
  }

  #end(): number {
    this.#checkEnds('backwards', 'give the moment to start from');
    const last = this.series.last();
    return last ? last.startMs + 1 : EVERYTHING.from;
  }

  #checkEnds(part: string, instead: string): void {
    if (!this.isFinite) throw new RecurrenceError(part, `the recurrence does not end; ${instead}`);
  }

  #one(occurrence: Occurrence | null | undefined): Value | null {
    return occurrence ? this.#toResult(occurrence) : null;
  }
}

function* results<Value>(
  occurrences: Iterable<Occurrence>,
  toResult: ToResult<Value>,
): Generator<Value, void, undefined> {
  for (const occurrence of occurrences) yield toResult(occurrence);
}

function startLine(start: string, timeZone: string | null): string {
  const stamp = basic(start);
  if (!start.includes('T')) return `DTSTART;VALUE=DATE:${stamp}`;
  if (timeZone === null) return `DTSTART:${stamp}`;
  if (timeZone === 'UTC') return `DTSTART:${stamp}Z`;
  return `DTSTART;TZID=${/[:;,]/.test(timeZone) ? `"${timeZone}"` : timeZone}:${stamp}`;
}
