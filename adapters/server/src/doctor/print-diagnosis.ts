import type { Diagnosis } from 'kalends/model';
import { printable } from '../commands/show.ts';

type Finding = Diagnosis['findings'][number];

/** The worst come last: the end of a long list is what stays on the screen. */
const ORDER: Readonly<Record<Finding['status'], number>> = { ok: 0, skipped: 1, warning: 2, failed: 3 };

/** Returns a diagnosis as text for people: one finding a line, its remedy below it, the worst last. */
export function printDiagnosis({ findings }: Diagnosis): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = [...findings]
    .sort((one, other) => ORDER[one.status] - ORDER[other.status])
    .map(({ status, check, message, remedy }) => {
      const line = `${status.padEnd(8)} ${check.padEnd(width)}  ${indented(message, width)}`;
      return remedy === null ? line : `${line}\n${' '.repeat(width + 11)}-> ${indented(remedy, width)}`;
    });
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  return `${lines.join('\n')}\n\nfailed: ${count('failed')}, warnings: ${count('warning')}, ok: ${count('ok')}, skipped: ${count('skipped')}\n`;
}

/** Escapes control characters, and puts the further lines of a message below its first. */
function indented(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => printable(line.trim()))
    .join(`\n${' '.repeat(width + 11)}`);
}
