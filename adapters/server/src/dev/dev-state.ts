import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `kalends dev` remembers between two starts in the same folder. */
export interface DevState {
  /** The engine's secret. */
  readonly secret: string;
  readonly sandboxSecret: string;
  readonly applicationId?: string;
  readonly apiKey?: string;
  /** Refresh tokens by mailbox, as printed. */
  readonly refreshTokens: Readonly<Record<string, string>>;
  /** `sha256:mailbox` of the .ics files that have been loaded. */
  readonly loaded: readonly string[];
}

/** What a started server says of itself, the line that `--json` prints. */
export interface DevConnection {
  /** With the `/api` segment. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly applicationId: string;
  readonly sandboxUrl: string;
  readonly accounts: readonly {
    readonly email: string;
    readonly providerType: string;
    readonly refreshToken: string;
  }[];
}

/** The folder `.kalends`; with `keep` false nothing but the running server's connection is written. */
export interface DevFolder {
  readonly path: string;
  read(): DevState;
  write(state: DevState): void;
  readConnection(): DevConnection | undefined;
  /** Makes this the server that `readConnection` names. The returned function removes it, unless another has taken its place. */
  writeConnection(connection: DevConnection): () => void;
}

export function openDevFolder(path: string, keep: boolean): DevFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stateFile = join(path, 'dev.json');
  const connectionFile = join(path, 'running.json');
  const readConnection = () =>
    existsSync(connectionFile) ? (JSON.parse(readFileSync(connectionFile, 'utf8')) as DevConnection) : undefined;
  return {
    path,
    read: () =>
      keep && existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as DevState) : freshState(),
    write(state) {
      if (keep) writeWhole(stateFile, state);
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

function freshState(): DevState {
  return {
    secret: randomBytes(32).toString('base64'),
    sandboxSecret: randomBytes(24).toString('base64url'),
    refreshTokens: {},
    loaded: [],
  };
}

/** A reader sees the old file or the new one, never half of it; secrets are for the owner only. */
function writeWhole(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
