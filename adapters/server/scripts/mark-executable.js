// tsc writes plain files; the command needs the executable bit.
import { chmodSync, existsSync } from 'node:fs';

const command = new URL('../dist/cli.js', import.meta.url);
if (existsSync(command)) chmodSync(command, 0o755);
