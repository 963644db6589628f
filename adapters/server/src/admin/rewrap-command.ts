import type { Engine, RewrapReport, UnopenedDataKey } from 'kalends';
import { StorageUnavailableError } from 'kalends/ports';
import { isKeyringOutage } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import type { Command } from '../commands/command.ts';
import { commandActor } from '../commands/command-actor.ts';
import { readSettings, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';

const HELP = `kalends rewrap: wraps every stored data key by KALENDS_KEYRING, under KALENDS_SECRET or the latest version of KALENDS_VAULT_KEY, if
a previous secret, another keyring or an earlier version has wrapped it. It may be interrupted, repeated, and run beside other
processes; a repetition goes on where the last run ended. If keys cannot be opened, it names them and exits with 1. API keys, feed addresses
and booking tokens are no data keys: they may need a previous secret for longer ("Key rotation" in docs/operating.md, step 4).

${settingsHelp()}`;

export const rewrapCommand: Command = { help: HELP, flags: SETTING_FLAGS, run: runRewrap };

/** Keys per line of progress. */
const KEYS_A_LINE = 10_000;

/** Runs `kalends rewrap`; resolves with 0 once no data key needs an earlier secret, with 1 when some cannot be opened. */
export async function runRewrap(args: readonly string[], io: CommandIo): Promise<number> {
  const { settings } = readSettings(args, process.env);
  let told = 0;
  const progress = (report: RewrapReport) => {
    const seen = report.rewrapped + report.current + report.unopened;
    if (seen < told + KEYS_A_LINE) return;
    told = seen;
    io.stderr.write(`${seen} keys checked, ${report.rewrapped} rewrapped\n`);
  };
  const report = await withEngine(settings, (engine) => rewrapWith(engine, progress));
  io.stdout.write(summary(report));
  return report.unopened === 0 ? 0 : 1;
}

/** @throws CommandError while the keyring or a database is unavailable, naming what an operator has to do */
async function rewrapWith({ dataKeys }: Engine, progress: (report: RewrapReport) => void): Promise<RewrapReport> {
  let done = 0;
  const noted = (report: RewrapReport) => {
    done = report.rewrapped;
    progress(report);
  };
  try {
    return await dataKeys.rewrap({ progress: noted }, commandActor());
  } catch (error) {
    if (StorageUnavailableError.isInstance(error)) {
      const left = `Of the keys that were reached ${done} are rewrapped; run this again when it is back.`;
      throw new CommandError(`${error.message}. ${left}`, 1);
    }
    if (!isKeyringOutage(error) || !(error instanceof Error) || !(error.cause instanceof Error)) throw error;
    const begun = done === 0 ? '' : ` At least ${done} keys are rewrapped; run this again to go on.`;
    throw new CommandError(`the keyring is unavailable: ${error.cause.message}.${begun}`, 1);
  }
}

function summary({ rewrapped, current, unopened, unopenedKeys }: RewrapReport): string {
  const counts = `rewrapped            ${rewrapped}
up to date           ${current}
cannot be opened     ${unopened}
`;
  if (unopened === 0) {
    return `${counts}No stored credential or secret needs KALENDS_PREVIOUS_SECRETS or another keyring any more, unless a running process still
wraps under it. Before you remove a previous secret: API keys, feed addresses and booking tokens made under it may still need it, and are not
counted here. "Key rotation" in docs/operating.md, step 4, says until when.
`;
  }
  const lines = unopenedKeys.map((key) => `  application ${key.applicationId}: ${ownerOf(key)}`);
  const rest = unopened - unopenedKeys.length;
  if (rest > 0) lines.push(`  and ${rest} more`);
  return `${counts}These are wrapped under a secret or by a keyring that is not configured, or damaged. List that secret in KALENDS_PREVIOUS_SECRETS
or name that keyring's key in KALENDS_VAULT_KEY, and run this again; or reconnect the account, set the provider's client, create the webhook again:
${lines.join('\n')}
`;
}

function ownerOf({ accountId, providerType, targetId }: UnopenedDataKey): string {
  if (accountId !== undefined) return `the credentials of account ${accountId}`;
  if (providerType !== undefined) return `the client secret at provider ${providerType}`;
  return `the signing secret of webhook ${targetId}`;
}
