import { type Findings, GAPS, type GapId, PROMISES, type PromiseId, type Violation } from './promises.ts';

/** Result of the check of a history. */
export interface HistoryReport {
  /** Requests of the history. */
  readonly exchanges: number;
  readonly promises: Readonly<Record<PromiseId, { readonly checked: number; readonly violated: number }>>;
  /** The first violations of each promise, in the order in which they were found. */
  readonly violations: readonly Violation[];
  /** How often something could not be checked. */
  readonly notChecked: Readonly<Record<GapId, number>>;
}

/** Violations of one promise that are told; all are counted. */
const MOST_TOLD = 50;

export interface CollectedFindings extends Findings {
  /** Counts a request. */
  exchanged(): void;
  report(): HistoryReport;
}

export function createFindings(): CollectedFindings {
  const promises = recordOf(PROMISES, () => ({ checked: 0, violated: 0 }));
  const notChecked = recordOf(GAPS, () => 0);
  const violations: Violation[] = [];
  let exchanges = 0;
  return {
    exchanged() {
      exchanges += 1;
    },
    checked(promise, times = 1) {
      promises[promise].checked += times;
    },
    violated(violation) {
      const count = promises[violation.promise];
      count.violated += 1;
      if (count.violated <= MOST_TOLD) violations.push(violation);
    },
    missed(gap) {
      notChecked[gap] += 1;
    },
    report: () => ({ exchanges, promises, violations, notChecked }),
  };
}

function recordOf<Key extends string, Value>(keys: Readonly<Record<Key, string>>, value: () => Value) {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, value()])) as Record<Key, Value>;
}
