import { runProgram } from '../../adapters/server/src/commands/program.ts';

/** `kalends` in a process of its own, from the sources. */
export async function main(...args: readonly string[]): Promise<void> {
  process.exitCode = await runProgram(args, process);
}
