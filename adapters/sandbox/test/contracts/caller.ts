import type { Json } from '../google/harness.ts';

export interface Call {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer must be a refusal. */
  readonly refused?: boolean;
}

export type Caller = (method: string, path: string, call?: Call) => Promise<{ status: number; body: Json }>;

/**
 * Calls an API below a base URL as one person; answers status and parsed body.
 * @throws Error when the answer is a refusal that was not expected (`refused: true`), or the other way round
 */
export function createCaller(baseUrl: string, accessToken: string): Caller {
  return async (method, path, { query = {}, body, headers = {}, refused = false } = {}) => {
    const url = new URL(path.startsWith('http') ? path : `${baseUrl}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400 !== refused) throw new Error(`${method} ${url.pathname}: ${response.status} ${text}`);
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
}
