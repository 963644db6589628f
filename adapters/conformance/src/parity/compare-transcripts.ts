import { groupBy } from './group-by.ts';
import { type Labels, labelItems } from './item-labels.ts';
import { compareShapes, type ShapeDifference } from './shape.ts';
import type { Exchange, PlayedCase, Transcript } from './transcript.ts';

/** One thing in which the live service and the sandbox differ. */
export interface Difference {
  readonly case: string;
  /** Method and path pattern; empty for a difference of the whole case. */
  readonly operation: string;
  /** Status of the answer at the live service, where both have the same one. */
  readonly status: number | null;
  readonly kind: 'result' | 'calls' | 'status' | 'header' | ShapeDifference['kind'];
  /** Place in the answer, such as `items[].start.timeZone`; empty for the answer as a whole. */
  readonly place: string;
  readonly live: string;
  readonly sandbox: string;
}

type Finding = Omit<Difference, 'case' | 'operation' | 'status'>;

/** A throttled or unavailable service says nothing about the shape of its answers, and the call is repeated. */
const PASSING: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);

/** Headers that are compared: the media type by its value, tags by their presence. */
const HEADERS = [
  { name: 'content-type', shown: (value: string | undefined) => value ?? 'absent' },
  { name: 'etag', shown: (value: string | undefined) => (value === undefined ? 'absent' : 'present') },
];

/** Compares two transcripts of the same cases, operation by operation: results, calls, statuses, shapes, order of items. */
export function compareTranscripts(live: Transcript, sandbox: Transcript): readonly Difference[] {
  const others = new Map(sandbox.cases.map((one) => [one.name, one]));
  return live.cases.flatMap((one) => {
    const other = others.get(one.name);
    return other === undefined ? [] : compareCase(one, other);
  });
}

function compareCase(live: PlayedCase, sandbox: PlayedCase): readonly Difference[] {
  const found: Difference[] = [];
  const add = (operation: string, status: number | null, findings: readonly Finding[]) => {
    for (const finding of findings) found.push({ case: live.name, operation, status, ...finding });
  };
  add('', null, differing('result', live.failure ?? 'passes', sandbox.failure ?? 'passes'));
  const labels = { live: labelItems(live.exchanges), sandbox: labelItems(sandbox.exchanges) };
  const [mine, theirs] = [byOperation(live.exchanges), byOperation(sandbox.exchanges)];
  for (const operation of new Set([...mine.keys(), ...theirs.keys()])) {
    const [calls, otherCalls] = [mine.get(operation) ?? [], theirs.get(operation) ?? []];
    add(operation, null, differing('calls', times(calls), times(otherCalls)));
    for (const [index, call] of calls.entries()) {
      const other = otherCalls[index];
      if (other === undefined) break;
      const status = call.status === other.status ? call.status : null;
      add(operation, status, compareCalls(call, other, labels));
    }
  }
  return found;
}

function compareCalls(
  live: Exchange,
  sandbox: Exchange,
  labels: { live: Labels; sandbox: Labels },
): readonly Finding[] {
  const statuses = differing('status', String(live.status), String(sandbox.status));
  // The bodies of a success and a failure have nothing in common.
  if (statuses.length > 0) return statuses;
  const headers = HEADERS.flatMap(({ name, shown }) =>
    differing('header', shown(live.responseHeaders[name]), shown(sandbox.responseHeaders[name]), name),
  );
  return [
    ...headers,
    ...compareShapes(
      { body: live.responseBody, labels: labels.live },
      { body: sandbox.responseBody, labels: labels.sandbox },
    ),
  ];
}

function differing(kind: Finding['kind'], live: string, sandbox: string, place = ''): readonly Finding[] {
  return live === sandbox ? [] : [{ kind, place, live, sandbox }];
}

const times = ({ length }: readonly unknown[]) => (length === 1 ? 'called once' : `called ${length} times`);

/** Groups calls by operation. Calls that overlapped are ordered by status: which of them came first is chance. */
function byOperation(exchanges: readonly Exchange[]): ReadonlyMap<string, readonly Exchange[]> {
  const lasting = exchanges.filter(({ status }) => !PASSING.has(status));
  const ordered = [...lasting].sort((a, b) => a.group - b.group || a.status - b.status);
  return groupBy(ordered, ({ operation }) => operation);
}
