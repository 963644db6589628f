import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** State that `kalends dev` keeps between two starts in the same folder. */
export interface DevState {
  /** The engine's secret. */
  readonly secret: string;
  readonly sandboxSecret: string;
  readonly applicationId?: string;
  readonly apiKey?: string;
  /** Bearer token of `/admin/v1`. */
  readonly adminToken?: string;
  /** The refresh tokens shown at the start, by mailbox. */
  readonly refreshTokens: Readonly<Record<string, string>>;
  /** The app password of the CalDAV mailbox shown at the start. */
  readonly appPassword?: string;
  /** `sha256:provider` of each .ics file that is loaded. */
  readonly loaded: readonly string[];
}

/** A mailbox of the sandbox, as `POST /v1/endUserAccounts` takes it. */
export type DevMailbox = { readonly email: string; readonly providerType: string } & (
  | { readonly refreshToken: string }
  | {
      readonly credentials: {
        readonly kind: 'password';
        readonly serverUrl: string;
        readonly username: string;
        readonly password: string;
      };
    }
);

/** The account of the user's own CalDAV server, connected at the start. */
export interface DevAccount {
  readonly id: string;
  readonly email: string;
  readonly serverUrl: string;
}

/** Addresses and keys of a running server, as `--json` prints them. */
export interface DevConnection {
  /** Base URL with the `/api` segment. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly adminToken: string;
  readonly applicationId: string;
  readonly sandboxUrl: string;
  readonly accounts: readonly DevMailbox[];
  /** Absent without `--caldav`. */
  readonly ownServer?: DevAccount;
}

interface SavedClock {
  readonly offsetMs: number;
}

interface SavedInbox {
  readonly secrets: readonly string[];
}

/** The folder `.kalends`; with `keep` false it holds only the running server's connection. */
export interface DevFolder {
  readonly path: string;
  read(): DevState;
  write(state: DevState): void;
  /** Returns how far the demo's clock is ahead of real time, in milliseconds. */
  readClockOffset(): number;
  writeClockOffset(offsetMs: number): void;
  /** Returns the secrets of the webhooks that lead to the demo's inbox. */
  readInboxSecrets(): readonly string[];
  writeInboxSecrets(secrets: readonly string[]): void;
  readConnection(): DevConnection | undefined;
  /** Makes this server the one that `readConnection` returns, until the returned function or another server ends that. */
  writeConnection(connection: DevConnection): () => void;
}

export function openDevFolder(path: string, keep: boolean): DevFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stateFile = join(path, 'dev.json');
  const connectionFile = join(path, 'running.json');
  const clockFile = join(path, 'clock.json');
  const inboxFile = join(path, 'inbox.json');
  const readConnection = () =>
    existsSync(connectionFile) ? (JSON.parse(readFileSync(connectionFile, 'utf8')) as DevConnection) : undefined;
  return {
    path,
    read: () =>
      keep && existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as DevState) : freshState(),
    write(state) {
      if (keep) writeWhole(stateFile, state);
    },
    readClockOffset: () =>
      keep && existsSync(clockFile) ? (JSON.parse(readFileSync(clockFile, 'utf8')) as SavedClock).offsetMs : 0,
    writeClockOffset(offsetMs) {
      if (keep) writeWhole(clockFile, { offsetMs } satisfies SavedClock);
    },
    readInboxSecrets: () =>
      keep && existsSync(inboxFile) ? (JSON.parse(readFileSync(inboxFile, 'utf8')) as SavedInbox).secrets : [],
    writeInboxSecrets(secrets) {
      if (keep) writeWhole(inboxFile, { secrets } satisfies SavedInbox);
    },
    readConnection,
    writeConnection(connection) {
      writeWhole(connectionFile, connection);
      return () => {
        if (readConnection()?.baseUrl === connection.baseUrl) rmSync(connectionFile, { force: true });
      };
    },
  };
}

/** Returns the state with an admin token, which outlives restarts. */
export function withAdminToken<State extends DevState>(state: State): State & { readonly adminToken: string } {
  return { ...state, adminToken: state.adminToken ?? `adm_${randomBytes(24).toString('base64url')}` };
}

function freshState(): DevState {
  return {
    secret: randomBytes(32).toString('base64'),
    sandboxSecret: randomBytes(24).toString('base64url'),
    refreshTokens: {},
    loaded: [],
  };
}

/** Replaces a file in one step, readable by its owner alone. */
function writeWhole(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
