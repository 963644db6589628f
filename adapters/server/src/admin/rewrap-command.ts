import type { RewrapReport, UnopenedDataKey } from 'kalends';
import type { CommandIo } from '../command-io.ts';
import { asksForHelp } from '../command-line.ts';
import { readSettings } from '../settings.ts';
import { withEngine } from './with-engine.ts';

const USAGE = `kalends rewrap: wraps every stored data key under KALENDS_SECRET that is under one of KALENDS_PREVIOUS_SECRETS.
May be broken off, repeated, and run beside processes that work. Ends with 1 when keys cannot be opened, and names them.
`;
/** A line is written after so many keys. */
const KEYS_A_LINE = 10_000;

/** `kalends rewrap`: 0 once no data key needs an earlier secret, 1 when some cannot be opened. */
export async function runRewrap(args: readonly string[], io: CommandIo): Promise<number> {
  if (asksForHelp(args)) {
    io.stdout.write(USAGE);
    return 0;
  }
  const { settings } = readSettings(args, process.env);
  let told = 0;
  const progress = (report: RewrapReport) => {
    const seen = report.rewrapped + report.current + report.unopened;
    if (seen < told + KEYS_A_LINE) return;
    told = seen;
    io.stderr.write(`${seen} keys looked at, ${report.rewrapped} of them wrapped anew\n`);
  };
  const report = await withEngine(settings, (engine) => engine.dataKeys.rewrap({ progress }));
  io.stdout.write(summary(report));
  return report.unopened === 0 ? 0 : 1;
}

function summary({ rewrapped, current, unopened, unopenedKeys }: RewrapReport): string {
  const counts = `rewrapped            ${rewrapped}
current already      ${current}
cannot be opened     ${unopened}
`;
  if (unopened === 0) {
    return `${counts}No stored credential or secret needs KALENDS_PREVIOUS_SECRETS any more, unless a process still runs that has one of them
as KALENDS_SECRET. API keys that were made under one do: see "Key rotation" in docs/operating.md.
`;
  }
  const lines = unopenedKeys.map((key) => `  application ${key.applicationId}: ${ownerOf(key)}`);
  const rest = unopened - unopenedKeys.length;
  if (rest > 0) lines.push(`  and ${rest} more`);
  return `${counts}They were sealed under a secret that is not configured, or altered. List that secret in KALENDS_PREVIOUS_SECRETS and come
back, or connect the account, set the provider, make the webhook again:
${lines.join('\n')}
`;
}

function ownerOf({ accountId, providerType, targetId }: UnopenedDataKey): string {
  if (accountId !== undefined) return `the credentials of account ${accountId}`;
  if (providerType !== undefined) return `the client secret at provider ${providerType}`;
  return `the signing secret of webhook ${targetId}`;
}
