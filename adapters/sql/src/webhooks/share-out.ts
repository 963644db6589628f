import type { DeliveryCapacity } from 'kalends/ports';

/** Due deliveries of one application to one host. */
export interface DueLane {
  readonly application_id: string;
  readonly host: string;
  /** Not counted beyond what one claim can take. */
  readonly due: number;
  readonly first_due_at: number;
}

export interface Share<Lane extends DueLane> {
  readonly lane: Lane;
  readonly count: number;
}

/**
 * Divides `limit` deliveries fairly: applications take turns, and the hosts of each application do, longest due first.
 * Neither a tenant with thousands of deliveries nor one busy host delays the others.
 */
export function shareOut<Lane extends DueLane>(
  lanes: readonly Lane[],
  limit: number,
  capacity: DeliveryCapacity | undefined,
): readonly Share<Lane>[] {
  const lines = byApplication(lanes).map(([applicationId, own]) => ({
    left: capacity?.ofApplication(applicationId) ?? Number.POSITIVE_INFINITY,
    turns: own.map((lane) => ({
      lane,
      left: Math.min(lane.due, capacity?.ofHost(applicationId, lane.host) ?? lane.due),
    })),
  }));
  const counts = new Map<Lane, number>();
  let total = 0;
  while (total < limit && lines.length > 0) {
    for (const line of [...lines]) {
      const turn = line.left > 0 ? nextTurn(line.turns) : undefined;
      if (turn === undefined) lines.splice(lines.indexOf(line), 1);
      else if (total < limit) {
        counts.set(turn, (counts.get(turn) ?? 0) + 1);
        line.left -= 1;
        total += 1;
      }
    }
  }
  return [...counts].map(([lane, count]) => ({ lane, count }));
}

/** Groups lanes by application; applications, and the lanes of each, are longest due first. */
function byApplication<Lane extends DueLane>(lanes: readonly Lane[]): readonly (readonly [string, readonly Lane[]])[] {
  const groups = new Map<string, Lane[]>();
  for (const lane of lanes.toSorted((a, b) => a.first_due_at - b.first_due_at)) {
    const group = groups.get(lane.application_id);
    if (group === undefined) groups.set(lane.application_id, [lane]);
    else group.push(lane);
  }
  return [...groups];
}

/** Takes one from the first host that has any, and puts that host behind the others. */
function nextTurn<Lane>(turns: { readonly lane: Lane; left: number }[]): Lane | undefined {
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    if (turn.left <= 0) continue;
    turn.left -= 1;
    turns.push(turn);
    return turn.lane;
  }
  return undefined;
}
