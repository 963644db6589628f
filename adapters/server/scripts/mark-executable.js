// tsc writes plain files; the commands need the executable bit.
import { chmodSync, existsSync } from 'node:fs';

for (const name of ['server', 'sandbox']) {
  const command = new URL(`../../${name}/dist/cli.js`, import.meta.url);
  if (existsSync(command)) chmodSync(command, 0o755);
}
