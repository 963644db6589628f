// Calls of watched calendars, by the sandbox's own counts over seven virtual days: 1,000 calendars in all.
// A share and a provider may be given: npm run bench -- cost 0.1 google
// The goals are held by test/cost/cost.test.ts, with a few calendars.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export async function run() {
  const given = process.argv.slice(process.argv.indexOf('cost') + 1);
  const { status } = spawnSync(
    process.execPath,
    ['adapters/postgres/test/server/run-source.js', 'test/cost/print-costs.ts', ...given],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exitCode = 1;
}
