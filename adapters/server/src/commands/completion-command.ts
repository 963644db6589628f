import { CommandError } from '../command-error.ts';
import { parseArguments } from '../command-line.ts';
import type { Command, CommandEntry } from './command.ts';
import { bashCompletion } from './completion/bash-completion.ts';
import { describeProgram, type ProgramDescription } from './completion/describe-program.ts';
import { fishCompletion } from './completion/fish-completion.ts';
import { zshCompletion } from './completion/zsh-completion.ts';

const SHELLS: Readonly<Record<string, (program: ProgramDescription) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

const HELP = `kalends completion bash|zsh|fish: prints the completion of a shell

  bash   in ~/.bashrc:  source <(kalends completion bash)
  zsh    in ~/.zshrc, below compinit:  source <(kalends completion zsh)
  fish   once:  kalends completion fish > ~/.config/fish/completions/kalends.fish
`;

/** Returns the command that prints the completion of all commands. */
export function completionCommand(allCommands: () => Promise<readonly CommandEntry[]>): Command {
  return {
    help: HELP,
    flags: [],
    async run(args, io) {
      const [shell = '', ...more] = parseArguments(args, {}).positionals;
      const print = SHELLS[shell];
      if (print === undefined || more.length > 0) throw new CommandError('give one of bash, zsh and fish');
      io.stdout.write(print(await describeProgram(await allCommands())));
      return 0;
    },
  };
}
