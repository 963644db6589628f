import { readFileSync } from 'node:fs';
import type { ParseArgsConfig } from 'node:util';
import type { Engine } from 'kalends';
import type { Application } from 'kalends/model';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { asksForHelp } from '../command-line.ts';
import { readSettings, type Settings } from '../settings.ts';
import { withEngine } from './with-engine.ts';

interface Step {
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Runs the step, and resolves with its result, which is printed as JSON. */
  run(engine: Engine, flags: Flags, settings: Settings, io: CommandIo): Promise<object>;
}

/** Flags of a step, by name. */
interface Flags {
  /** Returns a flag's value. @throws CommandError when it is missing */
  required(name: string): string;
  find(name: string): string | undefined;
  all(name: string): readonly string[];
  has(name: string): boolean;
}

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const mark = { type: 'boolean' } as const;

/** The steps of administration by name: `app create`, and so on. */
export const STEPS: Readonly<Record<string, Step>> = {
  'app create': {
    usage: '--name NAME [--redirect-url URL ...]',
    options: { name: text, 'redirect-url': texts },
    run: (engine, flags) =>
      engine.applications.create({ name: flags.required('name'), redirectUrls: flags.all('redirect-url') }),
  },
  'app list': {
    usage: '',
    options: {},
    run: (engine) => engine.applications.list({ limit: '250' }),
  },
  'app update': {
    usage: '--app ID [--name NAME] [--redirect-url URL ...]',
    options: { app: text, name: text, 'redirect-url': texts },
    run: (engine, flags) => {
      const name = flags.find('name');
      const redirectUrls = flags.all('redirect-url');
      return engine.applications.update(flags.required('app'), {
        ...(name === undefined ? {} : { name }),
        ...(redirectUrls.length === 0 ? {} : { redirectUrls }),
      });
    },
  },
  'provider set': {
    usage: '--app ID --provider NAME --client-id ID [--setting NAME=VALUE ...] < client-secret',
    options: { app: text, provider: text, 'client-id': text, setting: texts },
    run: async (engine, flags, _settings, io) => {
      const application = await applicationOf(engine, flags);
      const providerType = flags.required('provider');
      if (!engine.providerTypes.includes(providerType)) {
        throw new CommandError(`--provider must be one of ${engine.providerTypes.join(', ')}`);
      }
      const clientId = flags.required('client-id');
      const settings = Object.fromEntries(flags.all('setting').map(readSetting));
      const clientSecret = await readClientSecret(io);
      return await engine.oauthClients.set(application.id, providerType, {
        clientId,
        clientSecret,
        settings,
      });
    },
  },
  'key create': {
    usage: '--app ID --name NAME [--expires-at DATE|TIME|90d] [--read-only] [--without-credentials]',
    options: { app: text, name: text, 'expires-at': text, 'read-only': mark, 'without-credentials': mark },
    run: async (engine, flags) => {
      const application = await applicationOf(engine, flags);
      const { key, apiKey } = await engine.apiKeys.create(application.id, {
        name: flags.required('name'),
        expiresAt: flags.find('expires-at') ?? null,
        readOnly: flags.has('read-only'),
        canReadCredentials: !flags.has('without-credentials'),
      });
      // Only its hash is stored: no later call can show the key.
      return { key, ...apiKey };
    },
  },
  'key list': {
    usage: '--app ID',
    options: { app: text },
    run: async (engine, flags) => {
      const { id } = await applicationOf(engine, flags);
      return await engine.apiKeys.list(id);
    },
  },
  'key revoke': {
    usage: '--app ID --key KEY_ID',
    options: { app: text, key: text },
    run: async (engine, flags) => {
      const { id } = await applicationOf(engine, flags);
      await engine.apiKeys.revoke(id, flags.required('key'));
      return { success: true };
    },
  },
};

/** Runs `kalends app …`, `kalends key …` or `kalends provider …`, and prints its result as one JSON document. */
export async function runAdmin(group: string, args: readonly string[], io: CommandIo): Promise<number> {
  const [verb, ...rest] = args;
  const name = `${group} ${verb ?? ''}`;
  const step = STEPS[name];
  if (step === undefined) {
    if (verb === undefined || asksForHelp(args)) {
      (verb === undefined ? io.stderr : io.stdout).write(usageOf(group));
      return verb === undefined ? 2 : 0;
    }
    throw new CommandError(`there is no command "${name}"\n${usageOf(group)}`.trimEnd());
  }
  if (asksForHelp(rest)) {
    io.stdout.write(`Usage: kalends ${name} ${step.usage}\n`);
    return 0;
  }
  const { settings, values } = readSettings(rest, process.env, step.options);
  const result = await withEngine(settings, (engine) => step.run(engine, flagsOf(values), settings, io));
  io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  return 0;
}

function usageOf(group: string): string {
  const lines = Object.entries(STEPS)
    .filter(([name]) => name.startsWith(`${group} `))
    .map(([name, { usage }]) => `  kalends ${name} ${usage}`.trimEnd());
  return `Usage:\n${lines.join('\n')}\n`;
}

function flagsOf(values: Readonly<Record<string, unknown>>): Flags {
  const find = (name: string) => values[name] as string | undefined;
  return {
    find,
    required(name) {
      const value = find(name);
      if (value === undefined || value === '') throw new CommandError(`--${name} is required`);
      return value;
    },
    all: (name) => (values[name] as readonly string[] | undefined) ?? [],
    has: (name) => values[name] === true,
  };
}

async function applicationOf(engine: Engine, flags: Flags): Promise<Application> {
  const id = flags.required('app');
  const application = await engine.applications.find(id);
  if (application === undefined) throw new CommandError(`there is no application ${id}; see: kalends app list`, 1);
  return application;
}

function readSetting(setting: string): [string, string] {
  const at = setting.indexOf('=');
  if (at < 1) throw new CommandError(`--setting must be NAME=VALUE, not "${setting}"`);
  return [setting.slice(0, at), setting.slice(at + 1)];
}

/**
 * Reads the client secret from the environment, a file or standard input: a flag would show in the list of processes.
 * @throws CommandError when there is none
 */
async function readClientSecret({ stdin }: CommandIo): Promise<string> {
  const file = process.env.KALENDS_CLIENT_SECRET_FILE;
  const given =
    process.env.KALENDS_CLIENT_SECRET ?? (file === undefined ? await readAll(stdin) : readFileSync(file, 'utf8'));
  const secret = given.trim();
  if (secret === '') throw new CommandError('the client secret is missing: pass it on standard input');
  return secret;
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
