import type { Fetch } from 'kalends/ports';
import type { RawExchange } from './scrubber.ts';

/** A `fetch` that keeps each request with its answer. */
export interface Recorder {
  readonly fetch: Fetch;
  /** Returns what was exchanged since the last call, in the order in which the requests began. */
  take(): readonly RawExchange[];
}

type Slot = { exchange?: RawExchange };

/**
 * Creates a recorder in front of a `fetch`. A request without an answer is kept with status 0.
 * @param elapsed milliseconds since the start of the recording
 */
export function createRecorder(fetch: Fetch, elapsed: () => number): Recorder {
  let slots: Slot[] = [];
  let underWay = 0;
  let group = 0;

  return {
    async fetch(input, init) {
      const at = elapsed();
      const request = new Request(input, init);
      const slot: Slot = {};
      slots.push(slot);
      if (underWay === 0) group += 1;
      const common = { method: request.method, url: request.url, requestHeaders: request.headers, at, group };
      underWay += 1;
      const requestBody = await request.clone().text();
      const keep = (status: number, responseHeaders: Headers, responseBody: string) => {
        slot.exchange = { ...common, requestBody, status, responseHeaders, responseBody };
      };
      try {
        const response = await fetch(request);
        keep(response.status, response.headers, await response.clone().text());
        return response;
      } catch (error) {
        keep(0, new Headers(), '');
        throw error;
      } finally {
        underWay -= 1;
      }
    },
    take() {
      const taken = slots.flatMap(({ exchange }) => (exchange === undefined ? [] : [exchange]));
      slots = [];
      group = 0;
      return taken;
    },
  };
}
