// Availability through the engine, on SQLite and on PostgreSQL, beside the bare driver reading the same busy intervals.
import { performance } from 'node:perf_hooks';
import { median, table } from './measure.js';
import { CALENDARS, createMeetingWorld, DAY_MS, FROM_MS, fillBusy } from './meeting-world.js';
import { onEachStorage } from './on-each-storage.js';

const ROUNDS = 7;
const CALLS = 5;
/** Participants and days of each question. */
const QUESTIONS = [
  [1, 30],
  [10, 7],
  [10, 30],
  [10, 90],
  [10, 366],
  [20, 30],
];
/** The greatest time beside the bare driver's that is allowed, for 10 participants and 30 days. */
const MOST = 3;

function questionOf({ people }, count, days) {
  return {
    startDateTime: new Date(FROM_MS).toISOString(),
    endDateTime: new Date(FROM_MS + days * DAY_MS).toISOString(),
    timeZone: 'Europe/Rome',
    durationMinutes: 30,
    stepMinutes: 15,
    participants: people.slice(0, count).map((account, index) => ({
      id: `p${index}`,
      accounts: [account],
      openHours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '08:00', end: '20:00' }],
    })),
  };
}

/** Reads the intervals of each account with one statement. */
function bareReader({ run, place }, { people }, count, days) {
  const [from, to] = [FROM_MS, FROM_MS + days * DAY_MS];
  const calendars = Array.from({ length: CALENDARS }, (_, index) => place(index + 2)).join(', ');
  const [before, after] = [CALENDARS + 2, CALENDARS + 3].map(place);
  const text = `select range_start, range_end from bare_busy where account = ${place(1)} and calendar in (${calendars})
    and range_start < ${before} and range_start > ${after}`;
  return async () => {
    const all = [];
    for (const { endUserAccountId, calendarIds } of people.slice(0, count)) {
      all.push(await run(text, [endUserAccountId, ...calendarIds, to, from - DAY_MS]));
    }
    return all;
  };
}

async function timeOf(work) {
  const begin = performance.now();
  for (let call = 0; call < CALLS; call += 1) await work();
  return (performance.now() - begin) / CALLS;
}

/** Prints the time of a page of slots against participants and days. @throws when it is too long beside the bare driver's */
export async function compareWithDriver() {
  const shares = [];
  const rows = await onEachStorage(async (name, storage, driver) => {
    const world = await createMeetingWorld(storage);
    await fillBusy(driver, world);
    const lines = [];
    for (const [count, days] of QUESTIONS) {
      const question = questionOf(world, count, days);
      const bare = bareReader(driver, world, count, days);
      const ours = () => world.engine.availability.query(world.caller, question);
      const intervals = (await bare()).flat().length;
      await ours();
      const pairs = [];
      for (let round = 0; round < ROUNDS; round += 1) pairs.push([await timeOf(ours), await timeOf(bare)]);
      const share = median(pairs.map(([our, other]) => our / other));
      if (count === 10 && days === 30) shares.push(share);
      const best = (at) => `${Math.min(...pairs.map((pair) => pair[at])).toFixed(1)} ms`;
      lines.push([name, `${count}`, `${days}`, `${intervals}`, best(0), best(1), share.toFixed(1)]);
    }
    await world.engine.stop();
    return lines;
  });
  console.log(`\nPOST /v1/availability: ${CALENDARS} calendars each, every 15 minutes, beside the bare driver`);
  table([['', 'participants', 'days', 'intervals', 'kalends', 'driver', 'times'], ...rows]);
  const longest = Math.max(...shares);
  if (longest > MOST) console.log(`10 participants, 30 days: ${longest.toFixed(1)} times the driver, wanted ${MOST}`);
}
