import type { RestoreFailure, RestoreReport } from 'kalends';
import type { CommandIo } from '../command-io.ts';
import type { Command } from '../commands/command.ts';
import { commandActor } from '../commands/command-actor.ts';
import { readSettings, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';
import { ownerWarning } from './owner-warning.ts';

const HELP = `kalends restored: to be run once after the database was restored from a backup. Makes every calendar due, and tells every webhook
receiver that changes may have been missed (calendar.event.unknown): the backup knows neither the pushes that came after it nor
what receivers have been told since. It may be interrupted, repeated, and run beside other processes. It passes over accounts whose database cannot serve them,
names them, and exits with 1.

${settingsHelp()}`;

export const restoredCommand: Command = { help: HELP, flags: SETTING_FLAGS, run: runRestored };

/** Accounts per line of progress. */
const ACCOUNTS_A_LINE = 10_000;

/** Runs `kalends restored`; resolves with 0 once all accounts are resumed, with 1 when some are not. */
async function runRestored(args: readonly string[], io: CommandIo): Promise<number> {
  const { settings } = readSettings(args, process.env);
  let seen = 0;
  const progress = () => {
    seen += 1;
    if (seen % ACCOUNTS_A_LINE === 0) io.stderr.write(`${seen} accounts\n`);
  };
  const report = await withEngine(settings, (engine) =>
    engine.operations.resumeAfterRestore({ progress }, { ...commandActor(), address: null }),
  );
  io.stdout.write(summary(report));
  io.stderr.write(await ownerWarning(settings.databaseUrl));
  return report.failures === undefined ? 0 : 1;
}

function summary({ accounts, calendars, failures }: RestoreReport): string {
  const counts = `accounts   ${accounts}\ncalendars  ${calendars}\n`;
  if (failures === undefined) return `${counts}All are due now, and all receivers will be told.\n`;
  return `${counts}left out   ${failures.reduce((sum, failure) => sum + failure.accounts, 0)}
The others are due now, and their receivers will be told. Left out were

${failures.map(described).join('\n')}
When these databases answer again, run this again. Accounts that their database does not have after a restore are found by the running
processes within two hours: start them, and run this again then.
`;
}

function described({ reason, accounts, accountIds }: RestoreFailure): string {
  const rest = accounts - accountIds.length;
  const lines = [...accountIds, ...(rest > 0 ? [`and ${rest} more`] : [])].map((line) => `    ${line}\n`);
  return `  ${accounts} ${accounts === 1 ? 'account' : 'accounts'}: ${reason}\n${lines.join('')}`;
}
