import type { DeliveryCapacity } from '../ports/index.ts';
import type { AttemptResult } from './send-message.ts';

const FIRST_CAP = 10;
const LARGEST_CAP = 256;
/** Maximum latency of a fast answer. */
const FAST_MS = 1_000;
/** Idle hosts are evicted above this size. */
const MAX_LANES = 4_096;

interface Lane {
  /** Maximum number of deliveries in flight. Fractional: it is halved. */
  cap: number;
  inFlight: number;
}

/**
 * Bounds this process's deliveries in flight by application and host. A host starts with ten; fast answers raise that, up to
 * 256, and each timeout halves it. An application may use at most as much of the total as it leaves to the others, so that
 * a newcomer always finds capacity.
 */
export interface AdaptiveDeliveryCapacity extends DeliveryCapacity {
  /** Number of deliveries that can still begin. */
  readonly left: number;
  begin(applicationId: string, host: string): void;
  /** Ends a delivery. `result` is undefined when the host was not asked. */
  end(applicationId: string, host: string, result: AttemptResult | undefined): void;
}

/** Creates the capacity. @param total maximum number of deliveries in flight, of all applications */
export function createDeliveryCapacity(
  total: number,
  {
    isOpen = () => true,
  }: { /** Whether this process delivers to a host. */ readonly isOpen?: (host: string) => boolean } = {},
): AdaptiveDeliveryCapacity {
  const lanes = new Map<string, Lane>();
  const applications = new Map<string, number>();
  let inFlight = 0;

  const laneOf = (applicationId: string, host: string): Lane => {
    const key = `${applicationId} ${host}`;
    const lane = lanes.get(key) ?? { cap: FIRST_CAP, inFlight: 0 };
    lanes.set(key, lane);
    return lane;
  };

  const count = (applicationId: string, change: 1 | -1) => {
    inFlight += change;
    const own = (applications.get(applicationId) ?? 0) + change;
    if (own === 0) applications.delete(applicationId);
    else applications.set(applicationId, own);
  };

  return {
    get left() {
      return total - inFlight;
    },
    ofApplication: (applicationId) => Math.ceil((total - inFlight - (applications.get(applicationId) ?? 0)) / 2),
    ofHost(applicationId, host) {
      if (!isOpen(host)) return 0;
      const lane = lanes.get(`${applicationId} ${host}`);
      return lane === undefined ? FIRST_CAP : Math.floor(lane.cap) - lane.inFlight;
    },
    begin(applicationId, host) {
      count(applicationId, 1);
      laneOf(applicationId, host).inFlight += 1;
    },
    end(applicationId, host, result) {
      count(applicationId, -1);
      const lane = laneOf(applicationId, host);
      if (result !== undefined) lane.cap = nextCap(lane, result);
      lane.inFlight -= 1;
      if (lanes.size > MAX_LANES) evictIdle(lanes);
    },
  };
}

/** Returns the host's next cap. It grows only while it is used: an unused cap proves nothing about the host. */
function nextCap({ cap, inFlight }: Lane, { status, failure, latencyMs }: AttemptResult): number {
  if (failure === 'timeout') return Math.max(1, cap / 2);
  const isFast = failure === null && (status ?? 200) < 500 && status !== 429 && latencyMs <= FAST_MS;
  return isFast && inFlight * 2 >= cap ? Math.min(LARGEST_CAP, cap + 1) : cap;
}

function evictIdle(lanes: Map<string, Lane>): void {
  for (const [key, { inFlight }] of lanes) {
    if (inFlight === 0) lanes.delete(key);
  }
}
