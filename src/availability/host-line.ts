/** Assignments of a host, or of a member of a group. */
export interface HostRecord {
  readonly id: string;
  /** Recorded assignments so far. @default 0 */
  readonly assignments?: number | undefined;
  /** Instant of the latest assignment. @default never */
  readonly lastAssignedMs?: number | undefined;
  /** Share of the assignments, a whole number from 1. @default 1 */
  readonly weight?: number | undefined;
}

/** A host in line. Hosts of one `turn` have the same claim; 0 is next. */
export interface HostInLine<Host extends HostRecord> {
  readonly host: Host;
  readonly turn: number;
}

/**
 * Returns the hosts in the order in which they are due for the next assignment. The least of (2 × assignments + 1) ÷ weight comes
 * first, which is the divisor method of Sainte-Laguë: with equal weights, the fewest assignments. Hosts that tie are in the order of
 * their latest assignments, and then in the given order.
 */
export function hostLine<Host extends HostRecord>(hosts: readonly Host[]): readonly HostInLine<Host>[] {
  const sorted = [...hosts].sort((a, b) => compareClaims(a, b) || compareNumbers(lastOf(a), lastOf(b)));
  const line: HostInLine<Host>[] = [];
  let previous: HostInLine<Host> | undefined;
  for (const host of sorted) {
    const isTie = previous !== undefined && compareClaims(previous.host, host) === 0;
    previous = { host, turn: previous === undefined ? 0 : previous.turn + (isTie ? 0 : 1) };
    line.push(previous);
  }
  return line;
}

/** Compares without a division, so that equal claims are equal. */
function compareClaims(a: HostRecord, b: HostRecord): number {
  return compareNumbers(claimOf(a) * (b.weight ?? 1), claimOf(b) * (a.weight ?? 1));
}

function claimOf({ assignments = 0 }: HostRecord): number {
  return 2 * assignments + 1;
}

function lastOf({ lastAssignedMs = Number.NEGATIVE_INFINITY }: HostRecord): number {
  return lastAssignedMs;
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
