/** Request to an operation, and its answer, as both were on the wire. */
export interface OperationExample {
  /** Parameters of the path, the query and the headers. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Status of the answer, and its body; none for a redirect. */
  readonly status?: number;
  readonly response?: unknown;
  /** Answers of the same status in another shape, by their names. `response` is the first of them. */
  readonly variants?: Readonly<Record<string, unknown>>;
}
