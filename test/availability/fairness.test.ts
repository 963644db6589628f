import fc from 'fast-check';
import { type AvailabilityQuery, availableSlots, hostLine, type Participant } from 'kalends/availability';
import { expect, test } from 'vitest';

const ASSIGNMENTS = 10_000;
const HOUR = 3_600_000;
const WINDOW = { startMs: Date.UTC(2026, 2, 2, 9), endMs: Date.UTC(2026, 2, 2, 12) };

function queryOf(
  participants: readonly Participant[],
  distribution: AvailabilityQuery['distribution'],
): AvailabilityQuery {
  const rules = { window: WINDOW, durationMs: HOUR, stepMs: HOUR, timeZone: 'UTC' };
  return { ...rules, mode: 'round-robin', distribution, participants };
}

interface Host {
  readonly id: string;
  readonly weight: number;
  assignments: number;
  lastAssignedMs?: number;
}

const hostsOf = (weights: readonly number[]): Host[] =>
  weights.map((weight, index) => ({ id: `h${index}`, weight, assignments: 0 }));

/** Assigns the first slot of each query; `busyOf` says which of the three hours a host is not free. */
function* assign(
  hosts: readonly Host[],
  count: number,
  distribution: AvailabilityQuery['distribution'],
  busyOf: (host: number, turn: number) => readonly number[],
) {
  for (let turn = 0; turn < count; turn += 1) {
    const participants = hosts.map((host, index): Participant => {
      const busy = busyOf(index, turn).map((hour) => WINDOW.startMs + hour * HOUR);
      return { ...host, timeZone: 'UTC', busy: busy.map((startMs) => ({ startMs, endMs: startMs + HOUR })) };
    });
    const { slots } = availableSlots(queryOf(participants, distribution), { order: 'rank', limit: 1 });
    const host = hosts.find(({ id }) => id === slots[0]?.participants[0]);
    yield { host, before: hosts.map(({ assignments }) => assignments), slot: slots[0] };
    if (host === undefined) continue;
    host.assignments += 1;
    host.lastAssignedMs = turn;
  }
}

test('hosts of equal weight who have time never differ by more than one assignment', { timeout: 120_000 }, () => {
  const hosts = hostsOf([1, 1, 1, 1, 1, 1, 1]);
  // Each host has one free hour, another one each time.
  const busyOf = (host: number, turn: number) => [0, 1, 2].filter((hour) => hour !== (host * 5 + turn * 7) % 3);
  for (const { host } of assign(hosts, ASSIGNMENTS, 'max-fairness', busyOf)) {
    expect(host).toBeDefined();
    const counts = hosts.map(({ assignments }) => assignments);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  }
  expect(hosts.reduce((sum, { assignments }) => sum + assignments, 0)).toBe(ASSIGNMENTS);
});

/*
 * With Sainte-Laguë, (2aᵢ − 1) ÷ wᵢ ≤ (2aⱼ + 1) ÷ wⱼ holds for any two hosts. Summed over all j with their shares, the distance of a
 * host from its exact share is at most a half plus half of its weight against the mean weight.
 */
test.each([[[1, 2, 3]], [[5, 1, 1, 1]], [[7, 3, 2, 2, 1]], [[1000, 1]]])('hosts of weights %j keep their shares', {
  timeout: 120_000,
}, (weights) => {
  const hosts = hostsOf(weights);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let count = 0;
  for (const { host } of assign(hosts, ASSIGNMENTS / 4, 'max-availability', () => [])) {
    expect(host).toBeDefined();
    count += 1;
    // The host of this turn has it counted when the next one begins.
    for (const { weight, assignments, id } of hosts) {
      const share = (count * weight) / all;
      const bound = 0.5 + (hosts.length * weight) / (2 * all);
      const has = assignments + (id === host?.id ? 1 : 0);
      expect(has - share).toBeLessThanOrEqual(bound + 1e-9);
      expect(share - has).toBeLessThanOrEqual(bound + 1e-9);
    }
  }
});

test('the host is the one with the best claim among those who have time at all, or at the slot', () => {
  const turns = fc.array(fc.array(fc.subarray([0, 1, 2]), { minLength: 4, maxLength: 4 }), {
    minLength: 1,
    maxLength: 40,
  });
  const claim = (host: Host, assignments = 0) => (2 * assignments + 1) / host.weight;
  fc.assert(
    fc.property(turns, fc.constantFrom('max-fairness', 'max-availability'), (busy, distribution) => {
      const hosts = hostsOf([1, 1, 2, 3]);
      let turn = 0;
      for (const { host, before, slot } of assign(
        hosts,
        busy.length,
        distribution,
        (index, at) => busy[at]?.[index] ?? [],
      )) {
        const hour = ((slot?.startMs ?? 0) - WINDOW.startMs) / HOUR;
        const able = hosts.filter((_, index) => {
          const hours = busy[turn]?.[index] ?? [];
          return distribution === 'max-fairness' || slot === undefined ? hours.length < 3 : !hours.includes(hour);
        });
        const claims = able.map((one) => claim(one, before[hosts.indexOf(one)]));
        expect(host === undefined).toBe(able.length === 0);
        if (host !== undefined) expect(claim(host, before[hosts.indexOf(host)])).toBe(Math.min(...claims));
        turn += 1;
      }
    }),
    { numRuns: 200 },
  );
});

test('the line: claims, then the longest wait, then the given order', () => {
  const line = hostLine([
    { id: 'two', assignments: 2 },
    { id: 'late', assignments: 1, lastAssignedMs: 20 },
    { id: 'early', assignments: 1, lastAssignedMs: 10 },
    { id: 'never', assignments: 1 },
    { id: 'heavy', assignments: 4, weight: 3 },
    { id: 'also never', assignments: 1 },
  ]);
  expect(line.map(({ host, turn }) => [host.id, turn])).toEqual([
    ['never', 0],
    ['heavy', 0],
    ['also never', 0],
    ['early', 0],
    ['late', 0],
    ['two', 1],
  ]);
});
