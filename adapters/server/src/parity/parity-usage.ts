import type { Command } from '../commands/command.ts';
import { flagsOf } from '../commands/flag.ts';
import { loadParity } from './load-parity.ts';
import { PARITY_OPTIONS } from './parity-options.ts';
import { PARITY_VARIABLES } from './parity-settings.ts';

const HELP = `kalends parity: plays the provider suite against a test account and against the sandbox, and prints their differences
(needs @kalends/sandbox and @kalends/conformance)

  --provider NAME   google or microsoft
  --connect         signs in with a browser on this machine instead of KALENDS_PARITY_REFRESH_TOKEN
  --port N          port of the redirect URI of --connect (default: any)
  --only TEXT       plays the cases with this text in their names
  --settle MS       wait after each write (default 1000)
  --out FILE        redacted transcript (default ./parity-NAME.json)
  --json            prints one JSON object
  --verbose         prints the errors of failed cases as they are: they may quote the account's texts

Settings: a variable, or a file that VARIABLE_FILE names:
${PARITY_VARIABLES.map((variable) => `  ${variable}`).join('\n')}
Exit code 1: there are differences. docs/parity.md explains each step.
`;

/** Describes `kalends parity` without the packages that it needs, which a production server does not have. */
export const parityCommand: Command = {
  help: HELP,
  flags: flagsOf(PARITY_OPTIONS),
  async run(args, io) {
    const { runParityCommand } = await loadParity();
    return await runParityCommand(args, io);
  },
};
