import { diagnoseStorage, type Engine } from 'kalends';
import { type Diagnosis, diagnosis as diagnosisModel } from 'kalends/model';
import type { Finding, Storage } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseOptions } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { commandActor } from '../commands/command-actor.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { openRemoteStage } from '../commands/play.ts';
import { createInput } from '../commands/secret-input.ts';
import { jsonOf } from '../commands/show.ts';
import { fromEnvironment } from '../environment.ts';
import { createLogger } from '../logger.ts';
import { storageOf } from '../serve/open-storage.ts';
import { standaloneEngine } from '../serve/standalone-engine.ts';
import { readSettingValues, SETTING_FLAGS, type Settings, settingsHelp } from '../settings.ts';
import { hostChecksOf } from './host-checks.ts';
import { printDiagnosis } from './print-diagnosis.ts';

const FLAGS: readonly Flag[] = [
  { name: 'json', kind: 'switch', summary: 'Print the diagnosis as JSON.' },
  { name: 'url', kind: 'value', value: 'URL', summary: 'Ask the server at this URL; or KALENDS_ADMIN_URL.' },
  { name: 'token-stdin', kind: 'switch', summary: 'With --url, read KALENDS_ADMIN_TOKEN from standard input.' },
];

const HELP = `kalends doctor: checks this installation, and says how to mend what it finds: settings, database, secrets, public URL and push
address, clocks, tz data, OAuth clients, disk and permissions. It needs no running server, and works with settings that keep one
from starting. It changes nothing, but for an entry in the audit log for each OAuth client that it tests.

  --json         prints the diagnosis as JSON, as GET /admin/v1/diagnosis answers it
  --url URL      asks the server at this URL, with KALENDS_ADMIN_TOKEN; or KALENDS_ADMIN_URL
  --token-stdin  with --url, reads the token from standard input

Exits with 1 when a check failed, else with 0, warnings included.

${settingsHelp()}`;

export const doctorCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runDoctor };

/** Runs `kalends doctor`; resolves with 1 when a check failed. @throws CommandError for a wrong flag, or a server that cannot be asked */
async function runDoctor(args: readonly string[], io: CommandIo): Promise<number> {
  const values: Readonly<Record<string, unknown>> = parseOptions(args, optionsOf(doctorCommand.flags));
  const url = (values['url'] as string | undefined) ?? fromEnvironment('KALENDS_ADMIN_URL', process.env);
  const diagnosis = url === undefined ? await examineHere(values) : await askServer(url, values, io);
  io.stdout.write(values['json'] === true ? `${jsonOf(diagnosis)}\n` : printDiagnosis(diagnosis));
  return diagnosis.status === 'failed' ? 1 : 0;
}

async function askServer(url: string, values: Readonly<Record<string, unknown>>, io: CommandIo): Promise<Diagnosis> {
  const stage = await openRemoteStage(url, values, process.env, createInput(io));
  const { status, body } = await stage.play({ method: 'GET', path: '/admin/v1/diagnosis', body: undefined });
  if (status >= 400) throw new CommandError(String(body['message'] ?? status), 1);
  return diagnosisModel.parse(body);
}

/** Examines this host's installation, as far as its settings let it. */
async function examineHere(values: Readonly<Record<string, unknown>>): Promise<Diagnosis> {
  let settings: Settings;
  let storage: Storage;
  // Its findings say what the log would.
  const logger = createLogger('silent');
  try {
    settings = readSettingValues(values, process.env);
    storage = storageOf(settings, logger);
  } catch (error) {
    return failed([settingsFinding(error)]);
  }
  let engine: Engine;
  try {
    engine = standaloneEngine(settings, { storage, logger });
  } catch (error) {
    // Without a secret, for instance, there is no engine; the database can be examined all the same.
    const { findings } = await diagnoseStorage(storage, systemClock);
    await storage.close();
    return failed([settingsFinding(error), ...findings, ...(await hostFindings(settings))]);
  }
  try {
    return await engine.operations.diagnose({ ...commandActor(), address: null });
  } finally {
    await engine.stop();
  }
}

function settingsFinding(error: unknown): Finding {
  if (!(error instanceof CommandError)) throw error;
  const remedy = 'Correct the settings: "Settings" in docs/operating.md explains each.';
  return { check: 'settings', status: 'failed', message: error.message, remedy };
}

async function hostFindings(settings: Settings): Promise<readonly Finding[]> {
  const checks = hostChecksOf(settings, process.env);
  return (await Promise.all(checks.map(({ run }) => run(new AbortController().signal)))).flat();
}

const failed = (findings: readonly Finding[]): Diagnosis => ({ status: 'failed', findings: [...findings] });
