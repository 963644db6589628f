#!/usr/bin/env node
import { runProgram } from './commands/program.ts';

// A closed pipe is no failure: its reader, such as `head`, has seen enough. What the command does goes on to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`kalends: cannot write to standard output: ${error.message}\n`);
  process.exit(1);
});
process.exitCode = await runProgram(process.argv.slice(2), process);
