import type { RewrapReport, UnopenedDataKey } from 'kalends';
import type { CommandIo } from '../command-io.ts';
import type { Command } from '../commands/command.ts';
import { commandActor } from '../commands/command-actor.ts';
import { readSettings, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';

const HELP = `kalends rewrap: wraps under KALENDS_SECRET every stored data key that is wrapped under one of KALENDS_PREVIOUS_SECRETS.
It may be interrupted, repeated, and run beside other processes. If keys cannot be opened, it names them and exits with 1.

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
  const report = await withEngine(settings, (engine) => engine.dataKeys.rewrap({ progress }, commandActor()));
  io.stdout.write(summary(report));
  return report.unopened === 0 ? 0 : 1;
}

function summary({ rewrapped, current, unopened, unopenedKeys }: RewrapReport): string {
  const counts = `rewrapped            ${rewrapped}
up to date           ${current}
cannot be opened     ${unopened}
`;
  if (unopened === 0) {
    return `${counts}No stored credential or secret needs KALENDS_PREVIOUS_SECRETS, unless a running process still has one of them as its
KALENDS_SECRET. API keys made under a previous secret need it: see "Key rotation" in docs/operating.md.
`;
  }
  const lines = unopenedKeys.map((key) => `  application ${key.applicationId}: ${ownerOf(key)}`);
  const rest = unopened - unopenedKeys.length;
  if (rest > 0) lines.push(`  and ${rest} more`);
  return `${counts}These are wrapped under a secret that is not configured, or damaged. List that secret in KALENDS_PREVIOUS_SECRETS and run
this again; or reconnect the account, set the provider's client, create the webhook again:
${lines.join('\n')}
`;
}

function ownerOf({ accountId, providerType, targetId }: UnopenedDataKey): string {
  if (accountId !== undefined) return `the credentials of account ${accountId}`;
  if (providerType !== undefined) return `the client secret at provider ${providerType}`;
  return `the signing secret of webhook ${targetId}`;
}
