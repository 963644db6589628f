import type { ZoneTable } from '../zones/zone-table.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import { createPossibleWindows } from './possible-windows.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { createTally } from './sub-daily-count.ts';
import { compileSubDailyRule } from './sub-daily-rule.ts';
import { createWindowSlots } from './sub-daily-slots.ts';
import { readSteps } from './sub-daily-steps.ts';
import { readWindows } from './sub-daily-windows.ts';

/**
 * Creates a reader of a sub-daily rule in a zone. Searches have no limit in years: masks skip dates that do not pass, the
 * period of start times skips impossible times, and the search ends with the year 9999.
 */
export function createSubDailyReader(
  source: RecurrenceRule,
  startWallMs: number,
  table: ZoneTable,
  untilMs: number,
): OccurrenceReader {
  const rule = compileSubDailyRule(source, startWallMs, table, untilMs);
  const slotsOf = createWindowSlots(rule);
  const possible = createPossibleWindows(rule, slotsOf);
  const read: OccurrenceReader = rule.isStepped
    ? (fromMs, toMs, max, out) => readSteps(rule, table, possible, fromMs, toMs, max, out)
    : (fromMs, toMs, max, out) => readWindows(rule, table, slotsOf, possible, fromMs, toMs, max, out);
  const tally = createTally(rule, table, slotsOf, read);
  // No slot starts here or later. A search that finds nothing up to the end lowers it for the next search.
  let endMs = rule.isEmpty ? Number.NEGATIVE_INFINITY : rule.untilMs + 1;

  return (fromMs, toMs, max, out) => {
    const from = Math.max(fromMs, rule.startMs);
    const before = out.length;
    if (from >= Math.min(toMs, endMs) || before >= max) return;
    const to = Math.min(toMs, endMs, tally(from));
    if (from >= to) return;
    read(from, to, Math.min(max, before + (rule.count ?? max)), out);
    if (out.length === before) {
      if (to === endMs) endMs = from;
      return;
    }
    // Counting only up to the last slot read keeps first() of a large COUNT cheap.
    const countEndMs = tally(out.at(-1)!.startMs + 1);
    while (out.length > before && out.at(-1)!.startMs >= countEndMs) out.pop();
  };
}
