// Rules made to be slow: how long does the slowest take for a one-year window?

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { compileSeries, RecurrenceError } from 'kalends/recurrence';
import { hostileRule, NAMED } from '../recurrence/hostile-rule-source.js';
import { compareQuestions } from './hostile-questions.js';

const YEAR_MS = 366 * 86_400_000;
const RULES = 10_000;

/** Milliseconds of processor time, compiling included; the best of three, as a collection of garbage may fall into one. */
function spent(rule, timeZone) {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const begin = process.cpuUsage();
    try {
      const series = compileSeries({ dtstart: '2010-01-04T09:00:00', timeZone, lines: [`RRULE:${rule}`] });
      const from = Date.UTC(2026, 0, 1);
      series.occurrences({ from, to: from + YEAR_MS });
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
    }
    const { user, system } = process.cpuUsage(begin);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

export async function run() {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const drawn = fc.sample(hostileRule, { numRuns: RULES, seed });
  const measured = [...NAMED, ...drawn]
    .map((rule) => ({ rule, ms: Math.max(spent(rule, 'America/New_York'), spent(rule, null)) }))
    .sort((a, b) => b.ms - a.ms);
  const at = (share) => `${measured[Math.floor(measured.length * share)].ms.toFixed(2)} ms`;
  console.log(`\n${measured.length} hostile rules, one year of each, seed ${seed}`);
  console.log(
    `median ${at(0.5)}, 99 % within ${at(0.01)}, slowest ${measured[0].ms.toFixed(2)} ms (to stay under 50 ms)`,
  );
  console.log('The slowest five:');
  for (const { rule, ms } of measured.slice(0, 5)) console.log(`  ${ms.toFixed(2)} ms  ${rule}`);
  console.log(
    `\nEXRULE, gap skip, first and last; a peer without an answer after ${PATIENCE_MS / 1000} s hangs, – is no such question`,
  );
  compareQuestions(askPeer);
}

const PATIENCE_MS = 10_000;

/** A peer may never answer, so each question is put to a process of its own. */
function askPeer(peer, question) {
  try {
    const script = fileURLToPath(new URL('hostile-peer-process.js', import.meta.url));
    const options = {
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    };
    return JSON.parse(execFileSync(process.execPath, [script, peer, question], options)) ?? undefined;
  } catch (error) {
    if (error.signal === 'SIGKILL') return 'hangs';
    return { note: 'ends its process' };
  }
}
