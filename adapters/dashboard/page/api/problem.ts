import type { Problem } from 'kalends/model';

/** As much of a problem document as an answer has. */
export type PartialProblem = Omit<Partial<Problem>, 'code'> & { readonly code?: string };

/** A refused request: the problem document of the answer. */
export class ProblemError extends Error {
  readonly status: number;
  /** Stable name, as in docs/errors.md; `Offline` where no answer came. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly details: Problem['details'];
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: PartialProblem, retryAfterSeconds?: number) {
    super(problem.message ?? problem.detail ?? `The server answered ${status}.`);
    this.name = 'ProblemError';
    this.status = status;
    this.code = problem.code ?? 'Unknown';
    this.requestId = problem.requestId;
    this.details = problem.details;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Returns the rule that a field breaks, by its dotted path. */
  ruleOf(path: string): string | undefined {
    return this.details?.find((detail) => detail.path === path)?.message;
  }
}
