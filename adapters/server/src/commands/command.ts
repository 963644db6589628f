import type { CommandIo } from '../command-io.ts';
import type { Flag } from './flag.ts';

/** A command, loaded. */
export interface Command {
  /** Text of `--help`. */
  readonly help: string;
  /** All flags but `--help`. */
  readonly flags: readonly Flag[];
  /** Runs it with the arguments behind its words; resolves with the exit code. @throws CommandError */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

/** Parts of `kalends help`. */
export type Topic = 'develop' | 'run' | 'administer' | 'kalends';

/** A command as the list of all commands has it: its module is loaded when it is needed. */
export interface CommandEntry {
  /** One word, or two: a group and a verb. */
  readonly words: string;
  readonly topic: Topic;
  /** One line of `kalends help`. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}
