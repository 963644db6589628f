import type { Problem } from 'kalends/model';

/** Reports an answer other than success. */
export class ApiError extends Error {
  /** Stable name of the error (`NotFound`, `SyncTokenExpired`, …); `Unknown` for the answer of a proxy in between. */
  readonly code: string;
  readonly status: number;
  /** The invalid fields, each with the rule that it breaks. */
  readonly details: NonNullable<Problem['details']>;
  /** Id of the request in the operator's logs. */
  readonly requestId: string | undefined;
  /** Milliseconds to wait before another attempt, where the answer says so. */
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
