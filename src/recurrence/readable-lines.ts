import { parseRecurrence, unfoldedLines } from './parse-lines.ts';
import { namedPart, RecurrenceError } from './recurrence-error.ts';
import { isSubDaily, type RecurrenceLines } from './recurrence-rule.ts';

/** The recurrence lines of an event that can be read, and a description of each that cannot. */
export interface ReadableLines {
  readonly lines: readonly string[];
  /** Part and rule, never a value. */
  readonly faults: readonly string[];
}

/** Limits of a series that its lines must respect. */
export interface LineLimits {
  readonly isAllDay: boolean;
  /** First and last RDATE, as wall time as if in UTC. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * Sorts out the lines of a series that cannot be read: those that no parser understands, rules that have no meaning for the
 * series, dates beyond its limits. When all can be read, they stay exactly as given.
 */
export function readableLines(lines: readonly string[], limits: LineLimits): ReadableLines {
  if (faultOf(lines, limits) === undefined) return { lines, faults: [] };
  const readable: string[] = [];
  const faults: string[] = [];
  for (const line of unfoldedLines(lines)) {
    const fault = faultOf([line], limits);
    if (fault === undefined) readable.push(line);
    else faults.push(fault);
  }
  // Each can be read, and together they are too many.
  const fault = faultOf(readable, limits);
  return fault === undefined ? { lines: readable, faults } : { lines: [], faults: [...faults, fault] };
}

function faultOf(lines: readonly string[], limits: LineLimits): string | undefined {
  try {
    return limitFault(parseRecurrence(lines), limits);
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return `${namedPart(error)} cannot be read`;
  }
}

function limitFault(recurrence: RecurrenceLines, { isAllDay, firstMs, lastMs }: LineLimits): string | undefined {
  const rules = [...recurrence.rules, ...recurrence.exceptionRules];
  if (isAllDay && rules.some(({ freq }) => isSubDaily(freq)))
    return 'FREQ must be DAILY or longer for an all-day series';
  const isBeyond = recurrence.dates.some(({ time }) => !(time.wallMs >= firstMs && time.wallMs <= lastMs));
  return isBeyond ? 'RDATE must be a time of the years 1 to 9999 in every time zone' : undefined;
}
