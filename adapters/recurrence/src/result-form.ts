import { type Occurrence, RecurrenceError } from '../../../src/recurrence/index.ts';
import { formatDate, formatOffset, formatWall, type ZoneSpan } from '../../../src/zones/index.ts';
import type { TimeFrame } from './time-frame.ts';

/** Local time of a start, as numbers. */
export interface LocalFields {
  readonly year: number;
  /** From 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The forms of results by name. */
export interface ResultForms {
  /** The instant. For a floating or all-day series, a Date whose UTC fields are the local time. */
  readonly date: Date;
  /** The same in epoch milliseconds. */
  readonly ms: number;
  /** `2026-03-02T09:00:00-05:00`; without an offset for a floating series, a date alone for an all-day one. */
  readonly iso: string;
  /** Local time, `2026-03-02T09:00:00`, or a date for an all-day series. */
  readonly local: string;
  readonly fields: LocalFields;
}

/**
 * A class of Temporal: ZonedDateTime, Instant, PlainDateTime or PlainDate, the runtime's own or a polyfill's. Any class with a
 * static `from` for texts of RFC 9557 will do.
 */
export interface TemporalClass<Value> {
  from(text: string): Value;
}

/** Turns an occurrence into a result. */
export type ToResult<Value> = (occurrence: Occurrence) => Value;

/** Returns the conversion to a named form. */
export function formNamed<Name extends keyof ResultForms>(name: Name, frame: TimeFrame): ToResult<ResultForms[Name]> {
  const forms: { readonly [Each in keyof ResultForms]: () => ToResult<ResultForms[Each]> } = {
    date:
      () =>
      ({ startMs }) =>
        new Date(startMs),
    ms:
      () =>
      ({ startMs }) =>
        startMs,
    iso: () => isoText(frame),
    local: () => localText(frame),
    fields: () => localFields(frame),
  };
  if (!Object.hasOwn(forms, name)) {
    throw new RecurrenceError('as', `"${name}" is none of ${Object.keys(forms).join(', ')}, nor a class of Temporal`);
  }
  return forms[name]();
}

/**
 * Returns the conversion to a class of Temporal.
 * @param sampleMs wall time of a start, to try the class with
 * @throws RecurrenceError when the class cannot hold the starts of the series, such as a ZonedDateTime of a floating series
 */
export function formOfClass<Value>(type: TemporalClass<Value>, frame: TimeFrame, sampleMs: number): ToResult<Value> {
  // `as(globalThis.Temporal?.Instant)` where there is no Temporal.
  if (typeof type?.from !== 'function') {
    throw new RecurrenceError(
      'as',
      'takes the name of a form or a class of Temporal; without Temporal here, one of a polyfill',
    );
  }
  const text = zonedText(frame);
  try {
    type.from(text({ startMs: sampleMs, wallMs: sampleMs }));
  } catch (error) {
    const kind = frame.isAllDay ? 'an all-day' : frame.timeZone === null ? 'a floating' : `the ${frame.timeZone}`;
    throw new RecurrenceError('as', `the class cannot hold the starts of ${kind} series: ${(error as Error).message}`);
  }
  return (occurrence) => type.from(text(occurrence));
}

/** Creates a look-up of the offset at an instant; consecutive starts mostly share a span of the zone's table. */
function offsetLookup({ timeZone, zones, isAllDay }: TimeFrame): ((startMs: number) => ZoneSpan) | undefined {
  if (timeZone === null || isAllDay) return undefined;
  const table = zones.tableOf(timeZone);
  let span: ZoneSpan | undefined;
  return (startMs) => {
    if (span === undefined || startMs < span.fromMs || startMs >= span.toMs) span = table.spanAt(startMs);
    return span;
  };
}

function localMs(frame: TimeFrame): (startMs: number) => number {
  const spanAt = offsetLookup(frame);
  return spanAt === undefined ? (startMs) => startMs : (startMs) => startMs + spanAt(startMs).offsetMs;
}

function localText(frame: TimeFrame): ToResult<string> {
  const local = localMs(frame);
  const format = frame.isAllDay ? formatDate : formatWall;
  return ({ startMs }) => format(local(startMs));
}

function isoText(frame: TimeFrame): ToResult<string> {
  const spanAt = offsetLookup(frame);
  if (spanAt === undefined) return localText(frame);
  let last: ZoneSpan | undefined;
  let offset = '';
  return ({ startMs }) => {
    const span = spanAt(startMs);
    if (span !== last) offset = formatOffset(span.offsetMs);
    last = span;
    return formatWall(startMs + span.offsetMs) + offset;
  };
}

/** RFC 9557: `2026-03-02T09:00:00-05:00[America/New_York]`. Offsets of local mean time keep their seconds. */
function zonedText(frame: TimeFrame): ToResult<string> {
  const spanAt = offsetLookup(frame);
  if (spanAt === undefined) return localText(frame);
  return ({ startMs }) => {
    const { offsetMs } = spanAt(startMs);
    const seconds = (Math.abs(offsetMs) / 1000) % 60;
    const offset = formatOffset(offsetMs) + (seconds === 0 ? '' : `:${String(seconds).padStart(2, '0')}`);
    return `${formatWall(startMs + offsetMs)}${offset}[${frame.timeZone}]`;
  };
}

function localFields(frame: TimeFrame): ToResult<LocalFields> {
  const local = localMs(frame);
  return ({ startMs }) => {
    const time = new Date(local(startMs));
    return {
      year: time.getUTCFullYear(),
      month: time.getUTCMonth() + 1,
      day: time.getUTCDate(),
      hour: time.getUTCHours(),
      minute: time.getUTCMinutes(),
      second: time.getUTCSeconds(),
    };
  };
}
