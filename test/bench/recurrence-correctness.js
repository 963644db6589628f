// Asks every library the questions with known answers. Each library answers in a thread of its own, which is ended when an answer does
// not come: some never return.
import { Worker } from 'node:worker_threads';
import { DATE_EXAMPLES } from '../rfc5545/date-examples.js';
import { writtenDates } from '../rfc5545/written-dates.js';
import { CLOCK_CHANGES, HARD_RULES, INVALID_RULES } from './recurrence-cases.js';

const MOST_MS = 5_000;

/** An example that ends is asked for more than it has. */
const RFC_EXAMPLES = DATE_EXAMPLES.map(([name, dtstart, rule, dates]) => {
  const goesOn = dates.endsWith('…');
  const days = writtenDates(goesOn ? dates.slice(0, -2) : dates);
  return { name, zone: 'America/New_York', dtstart, rule, limit: goesOn ? days.length : days.length + 5, days };
});

const GROUPS = [
  { name: 'the dated examples of RFC 5545', cases: RFC_EXAMPLES },
  { name: 'windows over a change of the clocks', cases: CLOCK_CHANGES },
  { name: 'rules with a defined answer', cases: HARD_RULES },
  { name: 'invalid rules are refused', cases: INVALID_RULES },
];

/** Returns whether an answer of a library, `{ starts }` in milliseconds or `{ failure }`, is right. */
function isRight({ refused, days, wanted, leftOut }, { starts, failure }) {
  if (refused) return failure !== undefined && failure !== 'no answer';
  if (starts === undefined) return false;
  if (days === undefined) {
    const rights = leftOut === undefined ? [wanted] : [wanted, leftOut];
    return rights.some((right) => starts.join() === right.map((text) => Date.parse(text)).join());
  }
  const local = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'America/New_York',
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return starts.map((ms) => local.format(ms)).join() === days.map((day) => `${day} 09:00`).join();
}

/**
 * Returns a row for each group: how many answers of each library are right, and how many never came. What is not right is printed.
 * @param modules names of the libraries' modules
 */
export async function correctnessRows(modules) {
  const rows = GROUPS.map(({ name, cases }) => [`${name} (${cases.length})`]);
  for (const library of modules) {
    const asking = createAsking(library);
    for (const [index, { cases }] of GROUPS.entries()) {
      const answers = [];
      for (const each of cases) answers.push(await asking.ask(each));
      const wrong = cases.filter((each, place) => !isRight(each, answers[place]));
      const never = answers.filter(({ failure }) => failure === 'no answer').length;
      rows[index].push(`${cases.length - wrong.length}${never === 0 ? '' : `, ${never} without return`}`);
      for (const { name } of wrong) console.log(`not right in ${library}: ${name}`);
    }
    await asking.close();
  }
  return rows;
}

function createAsking(library) {
  const start = () => new Worker(new URL('correctness-worker.js', import.meta.url), { workerData: library });
  let worker = start();
  return {
    async ask(question) {
      const answer = await answerOf(worker, question);
      if (answer.failure === 'no answer') {
        await worker.terminate();
        worker = start();
      }
      return answer;
    },
    close: () => worker.terminate(),
  };
}

function answerOf(worker, question) {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve({ failure: 'no answer' }), MOST_MS);
    worker.once('message', (answer) => {
      clearTimeout(late);
      resolve(answer);
    });
    worker.postMessage(question);
  });
}
