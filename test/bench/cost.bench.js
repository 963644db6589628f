// The calls that watched calendars cost, by the sandbox's own counts over seven virtual days: 1,000 calendars in all.
// `test/cost/cost.test.ts` holds the goals with a few calendars.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export async function run() {
  const { status } = spawnSync(
    process.execPath,
    ['adapters/postgres/test/server/run-source.js', 'test/cost/print-costs.ts', ...process.argv.slice(3)],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exitCode = 1;
}
