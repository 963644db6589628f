// Sets the executable bit of the commands, which tsc does not.
import { chmodSync, existsSync } from 'node:fs';

for (const name of ['server', 'sandbox']) {
  const command = new URL(`../../${name}/dist/cli.js`, import.meta.url);
  if (existsSync(command)) chmodSync(command, 0o755);
}
