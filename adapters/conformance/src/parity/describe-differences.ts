import type { Difference } from './compare-transcripts.ts';
import { groupBy } from './group-by.ts';

/** Returns the differences in words, by operation; equal ones of several calls are one line. */
export function describeDifferences(differences: readonly Difference[]): readonly string[] {
  const byOperation = groupBy(differences, ({ operation }) => operation);
  return [...byOperation].flatMap(([operation, found]) => [
    operation === '' ? 'Results of cases' : operation,
    ...[...groupBy(found, describe)].map(([line, equal]) => `  ${line}${origin(equal)}`),
  ]);
}

function describe(difference: Difference): string {
  const { kind, place, live, sandbox, status } = difference;
  const answer = status === null ? '' : `${status}: `;
  switch (kind) {
    case 'result':
      return `the case ${verdict(live)} at the live service and ${verdict(sandbox)} at the sandbox`;
    case 'calls':
      return `${live} at the live service, ${sandbox} at the sandbox`;
    case 'status':
      return `the live service answers ${live}, the sandbox ${sandbox}`;
    case 'header':
      return `${answer}header ${place} is ${live} at the live service and ${sandbox} at the sandbox`;
    case 'key':
      return `${answer}${place} is ${live} at the live service and ${sandbox} at the sandbox`;
    case 'type':
      return `${answer}${place === '' ? 'the body' : place} is ${live} at the live service and ${sandbox} at the sandbox`;
    case 'items':
      return `${answer}${place} has ${live} at the live service and ${sandbox} at the sandbox`;
    case 'order':
      return `${answer}${place} come in another order: ${live} of the live service are ${sandbox} at the sandbox`;
  }
}

const verdict = (result: string) => (result === 'passes' ? result : `fails (${result})`);

function origin(equal: readonly Difference[]): string {
  const [first] = equal;
  const more = equal.length > 1 ? `, and ${equal.length - 1} more` : '';
  return first === undefined ? '' : ` (in “${first.case}”${more})`;
}
