import type { Fetch } from 'kalends/ports';
import { createBindings } from './bindings.ts';
import { operationOf, pathOf } from './operation.ts';
import { type Exchange, parseBody } from './transcript.ts';

/** A `fetch` that answers from a recorded case. */
export interface Replay {
  readonly fetch: Fetch;
  /** Returns the first request that was not recorded or, at the end, a recorded one that was not sent. */
  problem(): Error | undefined;
}

/**
 * Creates the replay of a case. Each request gets the next recorded answer of its operation. Its values give the placeholders of
 * the recorded request their meaning, and answers show them instead of the placeholders.
 */
export function createReplay(exchanges: readonly Exchange[]): Replay {
  const left = [...exchanges];
  const bindings = createBindings();
  let unexpected: Error | undefined;

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = pathOf(url);
    const operation = operationOf(request.method, path);
    const index = left.findIndex((one) => one.operation === operation);
    const [recorded] = index < 0 ? [] : left.splice(index, 1);
    if (recorded === undefined) throw new Error(`the transcript has no further ${operation}`);
    const body = parseBody(await request.text(), request.headers.get('content-type'));
    bindings.learn([...recorded.path], [...path], `${operation}: path`);
    bindings.learn(timeless(recorded.query), timeless(Object.fromEntries(url.searchParams)), `${operation}: query`);
    bindings.learn(recorded.requestBody, body, `${operation}: body`);
    if (recorded.status === 0) throw new TypeError('no answer was recorded');
    const text = recorded.responseBody === null ? null : JSON.stringify(bindings.apply(recorded.responseBody));
    return new Response(text, { status: recorded.status, headers: { ...recorded.responseHeaders } });
  }

  return {
    async fetch(input, init) {
      try {
        return await answer(new Request(input, init));
      } catch (error) {
        unexpected ??= error as Error;
        throw error;
      }
    },
    problem: () =>
      unexpected ?? (left[0] === undefined ? undefined : new Error(`a recorded ${left[0].operation} was not sent`)),
  };
}

/** Blanks instants: a query's window follows the clock, which a replay does not turn as the run did. */
function timeless(query: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? '' : value]),
  );
}
