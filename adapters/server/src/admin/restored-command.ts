import type { CommandIo } from '../command-io.ts';
import type { Command } from '../commands/command.ts';
import { commandActor } from '../commands/command-actor.ts';
import { readSettings, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';

const HELP = `kalends restored: to be run once after the database was restored from a backup. Makes every calendar due, and tells every webhook
receiver that changes may have been missed (calendar.event.unknown): the backup knows neither the pushes that came after it nor
what receivers have been told since. It may be interrupted, repeated, and run beside other processes.

${settingsHelp()}`;

export const restoredCommand: Command = { help: HELP, flags: SETTING_FLAGS, run: runRestored };

/** Accounts per line of progress. */
const ACCOUNTS_A_LINE = 10_000;

/** Runs `kalends restored`; resolves with 0. */
async function runRestored(args: readonly string[], io: CommandIo): Promise<number> {
  const { settings } = readSettings(args, process.env);
  const progress = ({ accounts }: { readonly accounts: number }) => {
    if (accounts % ACCOUNTS_A_LINE === 0) io.stderr.write(`${accounts} accounts\n`);
  };
  const { accounts, calendars } = await withEngine(settings, (engine) =>
    engine.operations.resumeAfterRestore({ progress }, { ...commandActor(), address: null }),
  );
  io.stdout.write(
    `accounts   ${accounts}\ncalendars  ${calendars}\nAll are due now, and all receivers will be told.\n`,
  );
  return 0;
}
