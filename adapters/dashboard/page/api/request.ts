import { isOffline } from '../state/connection.ts';
import { applicationId, session } from '../state/session.ts';
import { type PartialProblem, ProblemError } from './problem.ts';

/** One request of the interface: `/v1/…` for the chosen application, or `/admin/v1/…`. */
export interface Call {
  /** @default GET */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns an address below the dashboard's own. */
export const below = (path: string): string => new URL(path.replace(/^\//, ''), document.baseURI).href;

/** Returns the path of a call with its query. */
export function pathOf({ path, query = {} }: Call): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== '') search.append(name, String(each));
    }
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

/**
 * Makes a call with the session of the browser, and resolves with the body of its answer.
 * @throws ProblemError for a refusal, and where no answer came; a 401 also ends the session
 */
export async function request<Result = void>(call: Call, signal?: AbortSignal): Promise<Result> {
  const { method = 'GET', body, headers = {} } = call;
  let response: Response;
  try {
    response = await fetch(below(pathOf(call)), {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        'x-kalends-dashboard': '1',
        ...(applicationId.value === undefined ? {} : { 'x-kalends-application': applicationId.value }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    isOffline.value = false;
  } catch (error) {
    if (signal?.aborted) throw error;
    isOffline.value = true;
    throw new ProblemError(0, { code: 'Offline', message: 'The server cannot be reached.' });
  }
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Result;
  if (response.status === 401 && session.value?.isSignedIn) session.value = { ...session.value, isSignedIn: false };
  throw new ProblemError(response.status, problemOf(text), Number(response.headers.get('retry-after')) || undefined);
}

function problemOf(text: string): PartialProblem {
  try {
    return JSON.parse(text) as PartialProblem;
  } catch {
    return {};
  }
}
