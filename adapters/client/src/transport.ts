import type { Problem } from 'kalends/model';
import { withoutTrailing } from 'kalends/ports';
import { ApiError } from './api-error.ts';

/** The platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Sends one request and reads its JSON; undefined for a 304, the answer to If-None-Match alone. @throws ApiError */
export type Send = <Result>(method: string, path: string, options?: RequestOptions) => Promise<Result>;

export function createTransport(baseUrl: string, apiKey: string, fetch: Fetch): Send {
  const root = withoutTrailing(baseUrl, '/');
  return async <Result>(
    method: string,
    path: string,
    { query = {}, body, headers = {} }: RequestOptions = {},
  ): Promise<Result> => {
    const parameters = given(query).map(([name, value]): [string, string] => [name, String(value)]);
    const search = new URLSearchParams(parameters).toString();
    const response = await fetch(`${root}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      headers: {
        'x-api-key': apiKey,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...Object.fromEntries(given(headers)),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 304 && headers['if-none-match'] !== undefined) return undefined as Result;
    const text = await response.text();
    if (!response.ok) throw new ApiError(response, readProblem(text));
    return JSON.parse(text);
  };
}

/** Returns `/v1/…` with each part encoded: ids are the providers' own and may contain any character. */
export function pathOf(...parts: readonly string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`;
}

function given<Value>(fields: Readonly<Record<string, Value | undefined>>): [string, Value][] {
  return Object.entries(fields).filter((entry): entry is [string, Value] => entry[1] !== undefined);
}

/** Reads a problem document; the error page of a proxy is not one, and reads as an empty object. */
function readProblem(text: string): Partial<Problem> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
