import { writeFileSync } from 'node:fs';
import { caseNames, describeDifferences, type ParityAccount, printTranscript } from '@kalends/conformance';
import { ProviderError } from 'kalends/ports';
import { systemClock, systemRandom } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseOptions, parsePort } from '../command-line.ts';
import type { Environment } from '../environment.ts';
import { liveAccount } from './live-account.ts';
import { consentOnLoopback } from './loopback-consent.ts';
import { PARITY_OPTIONS } from './parity-options.ts';
import { readParitySettings, requireRefreshToken } from './parity-settings.ts';
import type { ProviderName } from './provider-at.ts';
import { runParity } from './run-parity.ts';

/** Runs `kalends parity`; resolves with 0 without a difference, else with 1. */
export async function runParityCommand(
  args: readonly string[],
  io: CommandIo,
  env: Environment = process.env,
): Promise<number> {
  const values = parseOptions(args, PARITY_OPTIONS);
  const name = providerName(values.provider);
  if (!/^\d{1,6}$/.test(values.settle)) throw new CommandError(`--settle must be milliseconds, not "${values.settle}"`);
  if (values.port !== undefined && !values.connect) throw new CommandError('--port belongs to --connect');
  const port = parsePort(values.port ?? '0', '--port');
  const wants = (one: string) => one.includes(values.only);
  if (!caseNames().some(wants)) throw new CommandError(`--only "${values.only}" selects no case`);
  const settings = readParitySettings(env);
  const unconnected = liveAccount(name, settings, Number(values.settle));
  const refreshToken = values.connect ? await signIn(name, unconnected, port, io) : requireRefreshToken(settings);

  let played = 0;
  const { transcript, differences } = await runParity(name, { ...unconnected, refreshToken }, wants, (result) => {
    played += 1;
    io.stderr.write(`${result.error === undefined ? 'passed' : 'FAILED'}  ${result.name}\n`);
    if (values.verbose && result.error !== undefined) io.stderr.write(`${(result.error as Error).stack}\n`);
  }).catch(explainFailure);
  const out = values.out ?? `parity-${name}.json`;
  writeFileSync(out, printTranscript(transcript));
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

/** Failed cases are part of a run; what is thrown concerns the account or the run's calendar. @throws CommandError */
function explainFailure(error: unknown): never {
  if (!ProviderError.isInstance(error)) throw error;
  throw new CommandError(`the account cannot be used (${error.reason}): ${error.message}`, 1);
}

/** Signs in with a browser; the refresh token stays in memory. */
function signIn(
  name: ProviderName,
  { createProvider, fetch, client }: Omit<ParityAccount, 'refreshToken'>,
  port: number,
  io: CommandIo,
): Promise<string> {
  return consentOnLoopback({
    provider: createProvider(fetch),
    client,
    port,
    // Microsoft ignores the port of localhost alone.
    host: name === 'google' ? '127.0.0.1' : 'localhost',
    onReady: (consentUrl, redirectUri) => {
      io.stderr.write(
        `Open this address within 10 minutes and sign in with the test account:\n\n${consentUrl}\n\nRedirect URI: ${redirectUri}\n`,
      );
    },
    clock: systemClock,
    random: systemRandom,
  });
}

function providerName(text: string | undefined): ProviderName {
  if (text === 'google' || text === 'microsoft') return text;
  throw new CommandError(`--provider must be google or microsoft, not "${text ?? ''}"\nSee: kalends parity --help`);
}
