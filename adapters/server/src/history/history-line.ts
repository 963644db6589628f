/** An exchange of a client with kalends, or a mark. */
export type HistoryLine = Exchange | QuietMark;

/** A request and its answer. */
export interface Exchange {
  /** Milliseconds since 1970 at which the request was sent, and at which its answer had been read; fractions are allowed. */
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly method: string;
  /** Path and query, from `/v1` on. */
  readonly url: string;
  readonly idempotencyKey?: string;
  /** Undefined when no answer came: what became of the request is unknown. */
  readonly status?: number;
  /** JSON of the answer. */
  readonly body?: unknown;
}

/** Says that from `at` on nothing changes in the calendars, or that changes go on. */
export interface QuietMark {
  readonly quiet: boolean;
  readonly at: number;
}

/** Reports a line that is none of a history. */
export class HistoryLineError extends Error {
  readonly line: number;

  constructor(line: number, rule: string) {
    super(`line ${line}: ${rule}`);
    this.name = 'HistoryLineError';
    this.line = line;
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Reads one line of a history; further fields are ignored. @throws HistoryLineError naming the line and the rule */
export function readHistoryLine(text: string, line: number): HistoryLine {
  const fail = (rule: string): never => {
    throw new HistoryLineError(line, rule);
  };
  const given = parse(text);
  if (given === undefined) return fail('is no JSON object');
  if ('quiet' in given) {
    if (typeof given['quiet'] !== 'boolean') fail('quiet: must be true or false');
    if (!isTime(given['at'])) fail('at: must be milliseconds since 1970');
    return given as unknown as QuietMark;
  }
  const { sentAt, answeredAt, method, url, idempotencyKey, status, body } = given;
  if (!isTime(sentAt)) return fail('sentAt: must be milliseconds since 1970');
  if (!isTime(answeredAt)) return fail('answeredAt: must be milliseconds since 1970');
  if (answeredAt < sentAt) fail('answeredAt: must not be before sentAt');
  if (typeof method !== 'string' || !METHODS.includes(method)) return fail(`method: must be one of ${METHODS}`);
  if (typeof url !== 'string' || !/^\/v1(?:[/?]|$)/.test(url)) return fail('url: must begin with /v1');
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') return fail('idempotencyKey: must be a text');
  if (status !== undefined && !isStatus(status)) return fail('status: must be a status of HTTP, from 100 to 599');
  return {
    sentAt,
    answeredAt,
    method,
    url,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(status === undefined ? {} : { status, body }),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is an object of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599;
}
