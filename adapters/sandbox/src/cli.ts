#!/usr/bin/env node
import { runCommand } from './command.ts';

try {
  const running = await runCommand(process.argv.slice(2), (line) => console.log(line));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void running?.sandbox.close());
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
