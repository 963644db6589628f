import type { Problem } from 'kalends/model';

/** An answer of the service that is no success. */
export class ApiError extends Error {
  /** Stable name of what went wrong (`NotFound`, `SyncTokenExpired`, …); `Unknown` when something in between answered. */
  readonly code: string;
  readonly status: number;
  /** What is wrong with which field, for invalid input. */
  readonly details: NonNullable<Problem['details']>;
  /** For the operator's logs. */
  readonly requestId: string | undefined;
  /** When to try again, milliseconds from the answer, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, problem: Partial<Problem>) {
    super(problem.detail ?? `The service answered ${response.status}.`);
    this.name = 'ApiError';
    this.code = problem.code ?? 'Unknown';
    this.status = response.status;
    this.details = problem.details ?? [];
    this.requestId = problem.requestId ?? response.headers.get('x-request-id') ?? undefined;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  }
}
