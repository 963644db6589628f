import type { HistoryReport } from './findings.ts';
import { GAPS, type GapId, PROMISES, type PromiseId } from './promises.ts';

/** Prints a report for people. */
export function printHistoryReport({ exchanges, promises, violations, notChecked }: HistoryReport): string {
  const counts = Object.entries(promises) as [PromiseId, HistoryReport['promises'][PromiseId]][];
  const lines = [`${exchanges} requests`, '', 'promise                 checked   violated'];
  for (const [id, { checked, violated }] of counts) {
    lines.push(`${id.padEnd(23)} ${String(checked).padStart(7)} ${String(violated).padStart(10)}`);
  }
  for (const { promise, lines: at, place, records, message } of violations) {
    lines.push(
      '',
      `${promise}, ${at.length === 1 ? 'line' : 'lines'} ${at.join(', ')}: ${message}`,
      `  ${PROMISES[promise]}`,
      `  ${place}`,
    );
    for (const record of records) lines.push(`  ${record}`);
  }
  const untold = counts.reduce((sum, [, { violated }]) => sum + violated, 0) - violations.length;
  if (untold > 0) lines.push('', `and ${untold} further violations`);
  for (const [gap, times] of Object.entries(notChecked) as [GapId, number][]) {
    if (times > 0) lines.push('', `not checked: ${times} ${GAPS[gap]}`);
  }
  return `${lines.join('\n')}\n`;
}
