import { writeFileSync } from 'node:fs';
import { describeDifferences, type ParityAccount } from '@kalends/conformance';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { asksForHelp, parseOptions } from '../command-line.ts';
import { liveAccount, VARIABLES } from './live-account.ts';
import type { ProviderName } from './provider-at.ts';
import { runParity } from './run-parity.ts';

const USAGE = `kalends parity: plays the provider suite against a test account and against the sandbox, and prints their differences
(needs @kalends/sandbox and @kalends/conformance)

  --provider NAME   google or microsoft
  --only TEXT       plays the cases with this text in their names
  --settle MS       wait after each write (default 1000)
  --out FILE        redacted transcript (default ./parity-NAME.json)
  --json            prints one JSON object
  --verbose         prints the errors of failed cases as they are: they may quote the account's texts

The account's credentials come from the environment: ${VARIABLES.join(', ')};
KALENDS_PARITY_TENANT names a Microsoft tenant. Exit code 1: there are differences. docs/parity.md explains each step.
`;

/** Runs `kalends parity`; resolves with 0 without a difference, else with 1. */
export async function runParityCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (asksForHelp(args)) {
    io.stdout.write(USAGE);
    return 0;
  }
  const values = parseOptions(args, {
    provider: { type: 'string' },
    only: { type: 'string', default: '' },
    settle: { type: 'string', default: '1000' },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  });
  const name = providerName(values.provider);
  if (!/^\d{1,6}$/.test(values.settle)) throw new CommandError(`--settle must be milliseconds, not "${values.settle}"`);
  const account: ParityAccount = liveAccount(name, process.env, Number(values.settle));
  let played = 0;
  const wants = (one: string) => one.includes(values.only);
  const { transcript, differences } = await runParity(name, account, wants, (result) => {
    played += 1;
    io.stderr.write(`${result.error === undefined ? 'passed' : 'FAILED'}  ${result.name}\n`);
    if (values.verbose && result.error !== undefined) io.stderr.write(`${(result.error as Error).stack}\n`);
  });
  if (played === 0) throw new CommandError(`--only "${values.only}" selects no case`);
  const out = values.out ?? `parity-${name}.json`;
  writeFileSync(out, JSON.stringify(transcript));
  if (values.json) {
    io.stdout.write(`${JSON.stringify({ provider: name, cases: played, transcript: out, differences })}\n`);
  } else {
    const lines = describeDifferences(differences);
    io.stdout.write(
      [...lines, `${played} cases, ${differences.length} differences; transcript: ${out}`, ''].join('\n'),
    );
  }
  return differences.length === 0 ? 0 : 1;
}

function providerName(text: string | undefined): ProviderName {
  if (text === 'google' || text === 'microsoft') return text;
  throw new CommandError(`--provider must be google or microsoft, not "${text ?? ''}"\nSee: kalends parity --help`);
}
