import type { Fetch } from 'kalends/ports';
import { createBindings } from './bindings.ts';
import { operationOf, pathOf, rootOf } from './operation.ts';
import { INTERFACE_ROOT } from './placeholder.ts';
import { type Exchange, parseBody } from './transcript.ts';

/** A `fetch` that answers from a recorded case. */
export interface Replay {
  readonly fetch: Fetch;
  /** Time of the next recorded request, in milliseconds from the start of the recording; of the last one at the end. */
  elapsed(): number;
  /** Returns the error of the first request that is not as it was recorded. */
  unexpected(): Error | undefined;
  /** Returns an error at the end, when a recorded request was not sent. */
  unsent(): Error | undefined;
}

/** Longest time between a look at the clock and the request that shows it: a request may have waited for its turn. */
const LONGEST_TURN_MS = 120_000;

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
    bindings.learn(recorded.query, atRecordedTime(recorded.query, url.searchParams), `${operation}: query`);
    bindings.learn(recorded.requestBody, body, `${operation}: body`);
    if (recorded.status === 0) throw new TypeError('no answer was recorded');
    if (recorded.responseBody === null) return new Response(null, answered(recorded));
    const text = JSON.stringify(bindings.apply(recorded.responseBody));
    return new Response(text.replaceAll(INTERFACE_ROOT, rootOf(url)), answered(recorded));
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
    elapsed: () => (left[0] ?? exchanges.at(-1))?.at ?? 0,
    unexpected: () => unexpected,
    unsent: () => (left[0] === undefined ? undefined : new Error(`a recorded ${left[0].operation} was not sent`)),
  };
}

const answered = ({ status, responseHeaders }: Exchange) => ({ status, headers: { ...responseHeaders } });

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Returns a query with the instants that were recorded, where those of the query are a turn away from them at most. */
function atRecordedTime(recorded: Exchange['query'], query: URLSearchParams): Exchange['query'] {
  const isSame = (one: string, other: string) =>
    INSTANT.test(one) && INSTANT.test(other) && Math.abs(Date.parse(one) - Date.parse(other)) <= LONGEST_TURN_MS;
  return Object.fromEntries(
    [...query].map(([name, value]) => {
      const other = recorded[name];
      return [name, other !== undefined && isSame(value, other) ? other : value];
    }),
  );
}
