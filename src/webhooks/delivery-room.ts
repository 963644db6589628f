import type { DeliveryRoom, OutboundResult } from '../ports/index.ts';

const FIRST_CAP = 10;
const LARGEST_CAP = 256;
/** An answer within this is fast. */
const FAST_MS = 1_000;
/** So many hosts are remembered without a look at which of them can be forgotten. */
const REMEMBERED = 4_096;

interface Lane {
  /** How many may be in flight. */
  cap: number;
  inFlight: number;
}

/**
 * What this process may have in flight, by application and host. A host begins with ten; fast answers let it have more,
 * up to 256, and each timeout halves what it may have. Of the whole an application may take as much as it leaves to
 * others: newcomers always find room.
 */
export interface AdaptiveRoom extends DeliveryRoom {
  /** How many deliveries more can begin at all. */
  readonly left: number;
  begin(applicationId: string, host: string): void;
  /** Undefined when nothing was learnt of the host. */
  end(applicationId: string, host: string, result: OutboundResult | undefined): void;
}

/** @param total deliveries in flight at the same time, of all applications */
export function createDeliveryRoom(total: number): AdaptiveRoom {
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
      if (lanes.size > REMEMBERED) forgetIdle(lanes);
    },
  };
}

/** Grows only while it is made use of: a cap that nothing has tried out says nothing about the host. */
function nextCap({ cap, inFlight }: Lane, { status, failure, latencyMs }: OutboundResult): number {
  if (failure === 'timeout') return Math.max(1, cap / 2);
  const isFast = status !== null && status < 500 && status !== 429 && latencyMs <= FAST_MS;
  return isFast && inFlight * 2 >= cap ? Math.min(LARGEST_CAP, cap + 1) : cap;
}

function forgetIdle(lanes: Map<string, Lane>): void {
  for (const [key, { inFlight }] of lanes) {
    if (inFlight === 0) lanes.delete(key);
  }
}
