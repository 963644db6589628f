import type { Fetch } from 'kalends/ports';
import type { Dice } from './dice.ts';
import type { Tally } from './tally.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Faults of a request between an engine and a provider. */
export const REQUEST_FAULTS = [
  'connection reset',
  'answer lost',
  'throttled 429',
  'server error 503',
  'server error 500',
  'page failed half-way',
] as const;
type RequestFault = (typeof REQUEST_FAULTS)[number];

export interface NetworkOptions {
  /** Answers as the provider. */
  readonly provider: Fetch;
  readonly time: VirtualTime;
  readonly dice: Dice;
  readonly tally: Tally;
  /** Share of requests that meet a fault; asked anew for each. */
  readonly faultShare: () => number;
  /** Whether requests and answers take time. */
  readonly isSlow: () => boolean;
}

const LATENCIES_MS = [1, 5, 20, 80, 300, 1500];

/** The network between the engines and the provider: everything takes its time, and some of it gets lost. */
export function unreliableNetwork(options: NetworkOptions): Fetch {
  const { provider, time, dice, tally, faultShare, isSlow } = options;
  /** The next requests that meet the same fault again, so that repetitions run out. */
  let burst: { readonly fault: RequestFault; left: number } | undefined;

  function draw(url: string): RequestFault | undefined {
    if (faultShare() === 0) return undefined;
    if (burst !== undefined && burst.left > 0) {
      burst.left -= 1;
      return burst.fault;
    }
    const isLaterPage = /pageToken|skiptoken|\$skip/i.test(url);
    if (!dice.chance(faultShare() * (isLaterPage ? 5 : 1))) return undefined;
    const fault = isLaterPage && dice.chance(0.7) ? 'page failed half-way' : dice.pick(REQUEST_FAULTS.slice(0, 5));
    burst = { fault, left: fault === 'page failed half-way' ? 3 : dice.pick([0, 0, 1, 4]) };
    return fault;
  }

  const travel = () => (isSlow() ? time.sleep(dice.pick(LATENCIES_MS)) : Promise.resolve());

  return async (input, init) => {
    const request = new Request(input, init);
    await travel();
    const fault = draw(request.url);
    if (fault !== undefined) tally.count(fault);
    switch (fault) {
      case 'connection reset':
        throw new TypeError('fetch failed: the connection was reset');
      case 'throttled 429':
        return refusal(429, { 'retry-after': String(dice.between(1, 20)) });
      case 'server error 500':
        return refusal(500);
      case 'server error 503':
      case 'page failed half-way':
        return refusal(503);
    }
    const response = await provider(request);
    await travel();
    if (fault === 'answer lost') {
      await response.body?.cancel();
      throw new TypeError('fetch failed: the other side closed the connection');
    }
    return response;
  };
}

function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error: { code: status, message: 'injected' } }, { status, headers });
}
