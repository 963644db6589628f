// Ten minutes of mixed load (KALENDS_SOAK_MINUTES), and how the memory of the engine's process moves: reads, sync reads,
// free/busy, writes, changes at the provider, pushes, deliveries. KALENDS_SOAK_EVENTS in the SQLite file from the start.
// The provider's stand-in, the clients and the receiver of webhooks are processes of their own.
import { startChild } from './child-process.js';
import { table } from './measure.js';

const MINUTES = Number(process.env.KALENDS_SOAK_MINUTES ?? 10);
const EVENTS = Number(process.env.KALENDS_SOAK_EVENTS ?? 20_000);
const ACCOUNTS = 10;
/** The part of the time that caches and the heap take to reach their size. */
const WARM_UP = 0.4;

/** Least squares: the change of y for one of x. */
function slopeOf(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [0, 1].map((at) => mean(points.map((point) => point[at])));
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

/** The samples of the engine's process, and the counts of what was done meanwhile. */
async function soak() {
  const sandbox = startChild('soak-sandbox-process.js', [ACCOUNTS, EVENTS]);
  const load = startChild('soak-load-process.js', []);
  const children = [sandbox, load];
  try {
    const provider = await sandbox.told();
    const given = JSON.stringify({ ...provider, ...(await load.told()) });
    const engine = startChild('soak-engine-process.js', [given], ['--expose-gc']);
    children.push(engine);
    load.tell({ sandbox: provider.sandbox, minutes: MINUTES, ...(await engine.told()) });
    const counts = await load.told();
    engine.tell('stop');
    return { counts, points: await engine.told() };
  } finally {
    for (const child of children) child.stop();
  }
}

function rowOf(name, points, key) {
  const values = points
    .filter((point) => point[key] !== undefined)
    .map((point) => [point.minute, point[key] / 2 ** 20]);
  const slope = slopeOf(values.filter(([minute]) => minute >= MINUTES * WARM_UP));
  return [`  ${name}`, values[0][1].toFixed(1), values.at(-1)[1].toFixed(1), slope.toFixed(2)];
}

export async function run() {
  console.log(`\nSoak: ${MINUTES} minutes of mixed load, ${ACCOUNTS} accounts, ${EVENTS} events in a SQLite file`);
  const { counts, points } = await soak();
  const done = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  console.log(`  done: ${done.join(', ')}`);
  table([
    ['  MiB', 'at first', 'at last', `a minute, last ${Math.round((1 - WARM_UP) * 100)} %`],
    rowOf('resident', points, 'rss'),
    rowOf('heap after a full collection', points, 'heap'),
    rowOf('external', points, 'external'),
    rowOf('array buffers', points, 'arrayBuffers'),
  ]);
}
