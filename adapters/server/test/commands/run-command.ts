import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runProgram } from '../../src/commands/program.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `kalends` in this process; its settings are the environment. */
export async function runCommand(args: readonly string[], input = ''): Promise<CommandResult> {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  io.stdin.end(input);
  const code = await runProgram(args, io);
  io.stdout.end();
  io.stderr.end();
  return { code, stdout: await text(io.stdout), stderr: await text(io.stderr) };
}
