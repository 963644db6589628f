import type { ParseArgsConfig } from 'node:util';
import { createClientAddress, type TrustProxy } from '@kalends/http';
import { z } from 'zod';
import { CommandError } from './command-error.ts';
import { parseOptions } from './command-line.ts';
import { type Flag, optionsOf } from './commands/flag.ts';
import { type Environment, fromEnvironment } from './environment.ts';
import { MCP_OAUTH_SETTINGS } from './mcp/oauth-settings.ts';
import { shardList } from './serve/shard-list.ts';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
/** Paths of the server itself, which the interface would hide. */
const PAGES: readonly string[] = ['/docs', '/mcp', '/dashboard', '/connected', '/.well-known'];
const hosts = list.refine(
  (names) => names.every(isHostName),
  'must be host names without scheme, port or path, such as calendar.example.com',
);
const url = (rule: string) => z.string().refine((text) => /^https?:$/.test(protocolOf(text)), rule);
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`));
/** One token, or two while one takes the place of the other. */
const tokens = list.pipe(
  z
    .array(
      z
        .string()
        .min(16, 'must have at least 16 characters')
        .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces'),
    )
    .min(1, 'must not be empty')
    .max(2, 'must be one token, or two separated by a comma'),
);
const providerName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be upper-case letters, digits and _, beginning with a letter');

/** Bounds of a server on the time in which requests arrive, and on its connections. */
export const HTTP_DEFAULTS = { headersTimeoutMs: 10_000, requestTimeoutMs: 30_000, httpConnections: 10_000 } as const;

/** The settings in the order of the documentation: a variable, its values, and a flag unless it is a secret. */
const SETTINGS = {
  databaseUrl: {
    variable: 'KALENDS_DATABASE_URL',
    flag: 'database',
    schema: z.string().refine(isDatabaseUrl, 'must be sqlite:PATH, postgres://… or postgresql://…'),
  },
  listenUrl: {
    variable: 'KALENDS_DATABASE_LISTEN_URL',
    schema: z
      .string()
      .refine((text) => text === 'off' || isPostgres(text), 'must be postgres://… or off')
      .optional(),
  },
  databaseConnections: {
    variable: 'KALENDS_DATABASE_CONNECTIONS',
    flag: 'connections',
    schema: whole(1, 1_000).optional(),
  },
  databaseSchema: {
    variable: 'KALENDS_DATABASE_SCHEMA',
    flag: 'database-schema',
    schema: z
      .string()
      .regex(/^[A-Za-z_]\w{0,62}$/, 'must be 1 to 63 letters, digits and _, not beginning with a digit')
      .optional(),
  },
  databasePrefix: {
    variable: 'KALENDS_DATABASE_PREFIX',
    flag: 'database-prefix',
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,29}$/, 'must be 1 to 30 lower-case letters, digits and _, beginning with a letter')
      .default('kalends_'),
  },
  shards: { variable: 'KALENDS_SHARDS', schema: shardList.default([]) },
  closedShards: { variable: 'KALENDS_CLOSED_SHARDS', flag: 'closed-shards', schema: list.default([]) },
  secret: { variable: 'KALENDS_SECRET', schema: z.string().min(1, 'must not be empty').optional() },
  previousSecrets: { variable: 'KALENDS_PREVIOUS_SECRETS', schema: list.default([]) },
  lostKeyIds: { variable: 'KALENDS_LOST_KEY_IDS', schema: list.default([]) },
  keyring: {
    variable: 'KALENDS_KEYRING',
    flag: 'keyring',
    schema: z.enum(['local', 'vault'], 'must be local or vault').default('local'),
  },
  vaultKey: { variable: 'KALENDS_VAULT_KEY', flag: 'vault-key', schema: z.string().optional() },
  vaultMount: { variable: 'KALENDS_VAULT_MOUNT', flag: 'vault-mount', schema: z.string().default('transit') },
  vaultAddress: { variable: 'VAULT_ADDR', flag: 'vault-addr', schema: z.string().optional() },
  vaultNamespace: { variable: 'VAULT_NAMESPACE', flag: 'vault-namespace', schema: z.string().optional() },
  vaultToken: { variable: 'VAULT_TOKEN', schema: z.string().optional() },
  vaultTokenFile: { variable: 'VAULT_TOKEN_FILE', flag: 'vault-token-file', schema: z.string().optional() },
  publicUrl: {
    variable: 'KALENDS_PUBLIC_URL',
    flag: 'public-url',
    schema: url('must be the absolute URL of the interface, such as https://calendar.example.com/api').optional(),
  },
  host: { variable: 'KALENDS_HOST', flag: 'host', schema: z.string().min(1).default('0.0.0.0') },
  port: { variable: 'KALENDS_PORT', flag: 'port', schema: whole(0, 65_535).default(4400) },
  apiPath: {
    variable: 'KALENDS_API_PATH',
    flag: 'api-path',
    schema: z
      .string()
      .regex(/^(\/[\w.~-]+)+$/, 'must be a path such as /api')
      .refine(
        (path) => !PAGES.includes(path),
        'must not be the path of a page of the server; take another such as /api',
      )
      .default('/api'),
  },
  metricsTokens: { variable: 'KALENDS_METRICS_TOKEN', schema: tokens.default([]) },
  adminTokens: { variable: 'KALENDS_ADMIN_TOKEN', schema: tokens.default([]) },
  googleName: { variable: 'KALENDS_GOOGLE_NAME', flag: 'google-name', schema: providerName.default('PROVIDER_A') },
  microsoftName: {
    variable: 'KALENDS_MICROSOFT_NAME',
    flag: 'microsoft-name',
    schema: providerName.default('PROVIDER_B'),
  },
  caldavName: { variable: 'KALENDS_CALDAV_NAME', flag: 'caldav-name', schema: providerName.default('CALDAV') },
  icloudName: { variable: 'KALENDS_ICLOUD_NAME', flag: 'icloud-name', schema: providerName.default('ICLOUD') },
  icsName: { variable: 'KALENDS_ICS_NAME', flag: 'ics-name', schema: providerName.default('ICS') },
  providersUrl: {
    variable: 'KALENDS_PROVIDERS_URL',
    flag: 'providers-url',
    schema: url('must be the absolute URL of a sandbox, such as http://127.0.0.1:4040')
      .transform(withoutSlash)
      .optional(),
  },
  environment: {
    variable: 'KALENDS_ENVIRONMENT',
    flag: 'environment',
    schema: z
      .string()
      .regex(/^[a-z0-9]{1,16}$/, 'must be 1 to 16 lower-case letters and digits')
      .default('live'),
  },
  allowedNetworks: { variable: 'KALENDS_ALLOWED_NETWORKS', flag: 'allowed-networks', schema: list.default([]) },
  mcp: {
    variable: 'KALENDS_MCP',
    flag: 'mcp',
    schema: z.enum(['on', 'read-only', 'off'], 'must be on, read-only or off').default('on'),
  },
  mcpHosts: { variable: 'KALENDS_MCP_HOSTS', flag: 'mcp-hosts', schema: hosts.default([]) },
  ...MCP_OAUTH_SETTINGS,
  rateLimit: { variable: 'KALENDS_RATE_LIMIT', flag: 'rate-limit', schema: whole(0, 1_000_000).default(300) },
  sharedRateLimit: {
    variable: 'KALENDS_SHARED_RATE_LIMIT',
    flag: 'shared-rate-limit',
    schema: z
      .enum(['true', 'false'], 'must be true or false')
      .default('false')
      .transform((text) => text === 'true'),
  },
  headersTimeoutMs: {
    variable: 'KALENDS_HEADERS_TIMEOUT_MS',
    flag: 'headers-timeout-ms',
    schema: whole(100, 600_000).default(HTTP_DEFAULTS.headersTimeoutMs),
  },
  requestTimeoutMs: {
    variable: 'KALENDS_REQUEST_TIMEOUT_MS',
    flag: 'request-timeout-ms',
    schema: whole(100, 600_000).default(HTTP_DEFAULTS.requestTimeoutMs),
  },
  httpConnections: {
    variable: 'KALENDS_HTTP_CONNECTIONS',
    flag: 'http-connections',
    schema: whole(1, 1_000_000).default(HTTP_DEFAULTS.httpConnections),
  },
  googleCallsPerMinute: {
    variable: 'KALENDS_GOOGLE_CALLS_PER_MINUTE',
    flag: 'google-calls-per-minute',
    schema: whole(1, 1_000_000_000).optional(),
  },
  googleCallsPerDay: {
    variable: 'KALENDS_GOOGLE_CALLS_PER_DAY',
    flag: 'google-calls-per-day',
    schema: whole(1, 1_000_000_000).optional(),
  },
  maxPushStalenessMs: {
    variable: 'KALENDS_MAX_PUSH_STALENESS_MS',
    flag: 'max-push-staleness-ms',
    schema: whole(60_000, 30 * 86_400_000).optional(),
  },
  lameDuckMs: { variable: 'KALENDS_LAME_DUCK_MS', flag: 'lame-duck-ms', schema: whole(0, 600_000).default(5_000) },
  trustProxy: {
    variable: 'KALENDS_TRUST_PROXY',
    flag: 'trust-proxy',
    schema: list
      .transform((parts) => (/^\d{1,2}$/.test(parts.join()) ? Number(parts.join()) : parts))
      .refine(isTrustProxy, 'must be a number of proxies, or networks such as 10.0.0.0/8, loopback or uniquelocal')
      .optional(),
  },
  proxyHeader: {
    variable: 'KALENDS_PROXY_HEADER',
    flag: 'proxy-header',
    schema: z.enum(['x-forwarded-for', 'forwarded'], 'must be x-forwarded-for or forwarded').default('x-forwarded-for'),
  },
  drainMs: { variable: 'KALENDS_DRAIN_MS', flag: 'drain-ms', schema: whole(0, 600_000).default(15_000) },
  logLevel: {
    variable: 'KALENDS_LOG_LEVEL',
    flag: 'log-level',
    schema: z.enum(['silent', 'warn', 'info', 'debug'], 'must be silent, warn, info or debug').default('info'),
  },
} as const satisfies SettingTable;

/** Settings by name: a variable, its values, and a flag unless it is a secret. */
export type SettingTable = Readonly<
  Record<
    string,
    { readonly variable: `KALENDS_${string}` | `VAULT_${string}`; readonly flag?: string; readonly schema: z.ZodType }
  >
>;

/** The values of a table. */
export type SettingsOf<Table extends SettingTable> = {
  readonly [Setting in keyof Table]: z.output<Table[Setting]['schema']>;
};

/** The configuration of a server. */
export type Settings = SettingsOf<typeof SETTINGS>;

/** Variables and their flags, in the order of the documentation. */
export const SETTING_NAMES: readonly { readonly variable: string; readonly flag: string | undefined }[] = Object.values(
  SETTINGS,
).map((setting) => ({ variable: setting.variable, flag: 'flag' in setting ? setting.flag : undefined }));

/** Flags of all settings that have one. */
export const SETTING_FLAGS: readonly Flag[] = SETTING_NAMES.flatMap(({ variable, flag }) =>
  flag === undefined ? [] : [{ name: flag, kind: 'value', summary: `or ${variable}` }],
);

/**
 * Reads settings from flags, then variables; a variable NAME_FILE names a file that holds the value.
 * @throws CommandError naming every missing and invalid setting
 */
export function readSettings(
  args: readonly string[],
  env: Environment,
  more: NonNullable<ParseArgsConfig['options']> = {},
): { readonly settings: Settings; readonly values: Readonly<Record<string, unknown>> } {
  const values: Readonly<Record<string, unknown>> = parseOptions(args, { ...optionsOf(SETTING_FLAGS), ...more });
  return { settings: readSettingValues(values, env), values };
}

/**
 * Reads settings from parsed flags, then variables, as `readSettings` does.
 * @throws CommandError naming every missing and invalid setting
 */
export function readSettingValues(values: Readonly<Record<string, unknown>>, env: Environment): Settings {
  return readTable(SETTINGS, values, env);
}

/**
 * Reads the settings of a table from values of its flags, then variables, as `readSettings` does.
 * @throws CommandError naming every missing and invalid setting
 */
export function readTable<Table extends SettingTable>(
  table: Table,
  values: Readonly<Record<string, unknown>>,
  env: Environment,
): SettingsOf<Table> {
  const problems: string[] = [];
  const settings = Object.fromEntries(
    Object.entries(table).map(([name, setting]) => {
      const { flag } = setting;
      const given = flag === undefined ? undefined : values[flag];
      const value = given ?? fromEnvironment(setting.variable, env);
      const result = setting.schema.safeParse(value);
      if (result.success) return [name, result.data];
      const title = given === undefined ? setting.variable : `--${flag}`;
      const isMissing = value === undefined;
      const rule = isMissing
        ? `is required${flag === undefined ? '' : `; or give --${flag}`}`
        : messageOf(result.error);
      problems.push(`${title} ${rule}`);
      return [name, undefined];
    }),
  );
  if (problems.length > 0)
    throw new CommandError(`the configuration is incomplete or invalid:\n  ${problems.join('\n  ')}`);
  return settings as SettingsOf<Table>;
}

/** Returns the help text of all settings. */
export function settingsHelp(): string {
  const width = Math.max(...SETTING_NAMES.map(({ variable }) => variable.length));
  const lines = SETTING_NAMES.map(
    ({ variable, flag }) => `  ${flag === undefined ? variable : `${variable.padEnd(width)}  --${flag}`}`,
  );
  return `Settings: a variable, a file that VARIABLE_FILE names, or a flag (docs/operating.md explains each):\n${lines.join('\n')}\n`;
}

/** Returns the secret. @throws CommandError when there is none */
export function requireSecret({ secret }: Settings): string {
  if (secret !== undefined) return secret;
  throw new CommandError(
    'KALENDS_SECRET is required: at least 32 random bytes, the same for every process; create it with: openssl rand -base64 32',
  );
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}

function isTrustProxy(trustProxy: TrustProxy): boolean {
  try {
    createClientAddress({ trustProxy });
    return true;
  } catch {
    return false;
  }
}

function messageOf({ issues }: z.ZodError): string {
  return issues.map(({ message }) => message).join(', ');
}

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : '';
}

/** Whether a text can be the host name of a request, as it stands. */
function isHostName(text: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(text) && URL.canParse(`http://${text}`);
}

function isPostgres(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text);
}

function isDatabaseUrl(text: string): boolean {
  return /^sqlite:./.test(text) || isPostgres(text);
}
