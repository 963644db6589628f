// Availability: the cost of one page of slots against the number of participants and of days, beside a search that asks each participant
// about each slot; then the engine, beside the bare driver.
import { availableRanges, availableSlots, explainSlot } from 'kalends/availability';
import { compareWithDriver } from './availability-engine.js';
import { table, text, timeOf } from './measure.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FROM_MS = Date.UTC(2026, 2, 2);
const CALENDARS = 20;
/** Events of one calendar on each day; a participant has 20 calendars. */
const EVENTS_A_DAY = 0.25;
const ZONES = ['Europe/Rome', 'America/New_York', 'Europe/London', 'Asia/Kolkata'];
const PARTICIPANTS = [1, 10, 50, 200];
const DAYS = [7, 30, 90, 366];

/** Numbers from 0 to 1 that are the same in each run. */
function createDraw(seed) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function busyOf(draw, days) {
  return Array.from({ length: Math.round(CALENDARS * EVENTS_A_DAY * days) }, () => {
    const startMs = FROM_MS + Math.floor(draw() * days * 96) * 15 * MINUTE_MS;
    return { startMs, endMs: startMs + (1 + Math.floor(draw() * 4)) * 15 * MINUTE_MS };
  });
}

function queryOf(count, days, mode) {
  const draw = createDraw(7);
  return {
    window: { startMs: FROM_MS, endMs: FROM_MS + days * DAY_MS },
    durationMs: 30 * MINUTE_MS,
    stepMs: 15 * MINUTE_MS,
    timeZone: 'Europe/Rome',
    mode,
    rules: {
      bufferAfterMs: 10 * MINUTE_MS,
      openHours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '08:00', end: '20:00' }],
    },
    participants: Array.from({ length: count }, (_, index) => ({
      id: `p${index}`,
      timeZone: ZONES[index % ZONES.length],
      busy: busyOf(draw, days),
      assignments: Math.floor(draw() * 5),
    })),
  };
}

/** Asks each participant about each step of the window; `explainSlot` checks every rule by its definition. */
function searchEachSlot(query) {
  let total = 0;
  for (let at = query.window.startMs; at < query.window.endMs; at += query.stepMs) {
    if (explainSlot(query, at).isOffered) total += 1;
  }
  return total;
}

export async function run() {
  const small = queryOf(10, 7, 'collective');
  const [found, wanted] = [availableSlots(small).total, searchEachSlot(small)];
  if (found !== wanted) throw new Error(`the sweep finds ${found} slots, a search of each slot ${wanted}`);
  for (const mode of ['collective', 'round-robin']) {
    console.log(
      `\n${mode}: one page of 100 slots of half an hour, every 15 minutes; ${CALENDARS * EVENTS_A_DAY} events a day each`,
    );
    const rows = PARTICIPANTS.map((count) => [
      `${count} participants`,
      ...DAYS.map((days) => {
        const query = queryOf(count, days, mode);
        return text(timeOf(() => availableSlots(query, { order: 'rank' })));
      }),
    ]);
    table([['', ...DAYS.map((days) => `${days} days`)], ...rows]);
  }
  const query = queryOf(10, 30, 'collective');
  console.log('\n10 participants, 30 days');
  table([
    ['slots, a page', text(timeOf(() => availableSlots(query)))],
    ['ranges, a page', text(timeOf(() => availableRanges(query)))],
    ['explain one slot', text(timeOf(() => explainSlot(query, FROM_MS + 10 * HOUR_MS)))],
    ['explain each slot, one after another', text(timeOf(() => searchEachSlot(query)))],
  ]);
  await compareWithDriver();
}
