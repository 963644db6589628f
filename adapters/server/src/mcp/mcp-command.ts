import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../admin/open-engine.ts';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseArguments } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { openDevFolder } from '../dev/dev-state.ts';
import type { Environment } from '../environment.ts';
import { packageVersion } from '../package-version.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { readSettingValues, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { loadMcp } from './load-mcp.ts';

const HELP = `kalends mcp: serves an agent over standard input and output, by the Model Context Protocol (needs @kalends/mcp)

  --app ID     the application whose accounts the agent reaches; or KALENDS_APP
  --read-only  leaves out the tools that write

An agent's program starts it: docs/mcp.md has the lines for common ones. Without any settings it serves the demo of "kalends dev" in
this folder, which has to be running. Writes have two steps: a preview, and a commit with its token.

${settingsHelp()}`;

const FLAGS: readonly Flag[] = [
  { name: 'app', kind: 'value', value: 'ID', summary: 'the application; or KALENDS_APP' },
  { name: 'read-only', kind: 'switch', summary: 'leaves out the tools that write' },
];

export const mcpCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runMcp };

/** Runs `kalends mcp`; resolves with 0 when the client ends the connection. @throws CommandError */
async function runMcp(args: readonly string[], _io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args, optionsOf([...FLAGS, ...SETTING_FLAGS]));
  if (positionals[0] !== undefined) throw new CommandError(`Unexpected argument "${positionals[0]}"`);
  const library = await loadMcp();
  if (library === undefined) {
    const install = `npm install @kalends/mcp@${packageVersion()}`;
    throw new CommandError(`"kalends mcp" needs @kalends/mcp, which is not installed\nInstall it with: ${install}`, 1);
  }
  const demo = demoEnvironment(values, process.env);
  const environment = { ...demo, ...process.env };
  const applicationId = values['app'] ?? environment['KALENDS_APP'];
  if (typeof applicationId !== 'string' || applicationId === '') {
    throw new CommandError(
      '--app is required, or KALENDS_APP; without any settings, start "kalends dev" in this folder first',
    );
  }
  const settings = readSettingValues(values, environment);
  const { engine, logger } = await openEngine(settings);
  try {
    if ((await engine.applications.find(applicationId)) === undefined) {
      throw new CommandError(`there is no application ${applicationId}; "kalends app list" shows all`, 1);
    }
    const readOnly = values['read-only'] === true || settings.mcp === 'read-only';
    const connection = await library.serveMcpStdio(
      engine,
      { applicationId },
      { readOnly, logger, drainMs: settings.drainMs },
    );
    await Promise.race([connection.closed, stopSignal()]);
    await connection.close();
  } finally {
    await engine.stop();
  }
  return 0;
}

/** Returns the settings of the demo that runs in this folder, where none are given. */
function demoEnvironment(values: Readonly<Record<string, unknown>>, environment: Environment): Environment {
  const path = join(process.cwd(), '.kalends');
  const isConfigured = values['database'] !== undefined || environment['KALENDS_DATABASE_URL'] !== undefined;
  if (isConfigured || !existsSync(join(path, 'running.json'))) return {};
  const folder = openDevFolder(path, true);
  const connection = folder.readConnection();
  if (connection === undefined) return {};
  return {
    KALENDS_APP: connection.applicationId,
    KALENDS_DATABASE_URL: `sqlite:${join(path, 'kalends.db')}`,
    KALENDS_SECRET: folder.read().secret,
    KALENDS_PROVIDERS_URL: connection.sandboxUrl,
    KALENDS_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    KALENDS_ENVIRONMENT: 'dev',
    KALENDS_LOG_LEVEL: 'silent',
  };
}
