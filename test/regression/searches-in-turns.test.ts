import {
  type AvailabilityQuery,
  availableRangesInSteps,
  availableSlotsInSteps,
  explainSlotInSteps,
} from 'kalends/availability';
import { expect, it } from 'vitest';
import { searchInTurns } from '../../src/scheduling/search-in-turns.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 1);
const EVERY_DAY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];

/** The largest that a request may ask for: 27 people over a year, each open 14 times a day and busy every few hours. */
function largest(role: 'required' | 'optional' | 'host'): AvailabilityQuery {
  const openHours = Array.from({ length: 14 }, (_, hour) => {
    const text = String(hour).padStart(2, '0');
    return { days: EVERY_DAY, start: `${text}:00`, end: `${text}:30` };
  });
  return {
    window: { startMs: START, endMs: START + 366 * DAY_MS },
    durationMs: MINUTE_MS,
    stepMs: MINUTE_MS,
    timeZone: 'Europe/Berlin',
    ...(role === 'host' ? { mode: 'round-robin', distribution: 'max-fairness' } : {}),
    participants: Array.from({ length: 27 }, (_, index) => ({
      id: `p${index}`,
      role: index === 0 ? 'required' : role,
      timeZone: ZONES[index % 3] ?? 'UTC',
      openHours: index === 0 ? [{ days: EVERY_DAY, start: '00:00', end: '24:00' }] : openHours,
      busy: Array.from({ length: 1_000 }, (__, at) => {
        const startMs = START + at * 8 * 3_600_000 + index * MINUTE_MS;
        return { startMs, endMs: startMs + 10 * MINUTE_MS };
      }),
    })),
  };
}

const SEARCHES = {
  slots: (query: AvailabilityQuery) => availableSlotsInSteps(query, { limit: 1_000, order: 'rank' }),
  ranges: (query: AvailabilityQuery) => availableRangesInSteps(query, { limit: 1_000 }),
  explanation: (query: AvailabilityQuery) => explainSlotInSteps(query, START + 30 * DAY_MS),
};

it.each([
  ['slots', 'optional'],
  ['slots', 'host'],
  ['ranges', 'optional'],
  ['explanation', 'host'],
] as const)('a search for %s with every one %s takes steps no longer than a year of one person', (name, role) => {
  let most = 0;
  let all = 0;
  const steps = SEARCHES[name](largest(role));
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    most = Math.max(most, step.value);
    all += step.value;
  }
  expect(most).toBeLessThanOrEqual(366 * 14 + 2_000);
  expect(all).toBeGreaterThan(27 * 366 * 14);
});

it('leaves turns to others while it searches', async () => {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const { slots } = await searchInTurns('app', SEARCHES.slots(largest('optional')));
  isRunning = false;
  expect(slots).toHaveLength(1_000);
  expect(turns).toBeGreaterThan(100);
});
