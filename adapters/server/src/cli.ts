#!/usr/bin/env node
import { runProgram } from './commands/program.ts';

// A closed pipe is no failure: its reader, such as `head`, has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.exitCode = await runProgram(process.argv.slice(2), process);
