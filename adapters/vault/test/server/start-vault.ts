import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('vault-program.js', import.meta.url));

/** A request that the process has answered, as its audit log has it. */
export interface AuditedRequest {
  readonly path: string;
  readonly status: number;
}

/** A process that speaks Vault's API, on a storage of its own. */
export interface VaultProcess {
  readonly address: string;
  readonly rootToken: string;
  /** Requests answered so far, in order. */
  readonly requests: readonly AuditedRequest[];
  /** Sends a request of an operator with the root token, and resolves with its answer. @throws for an answer that is no success */
  operate(method: string, path: string, body?: object, namespace?: string): Promise<Answer>;
  /** Creates a token that may encrypt and decrypt under the key, and nothing else. */
  tokenFor(key: string, options?: { readonly ttl?: string; readonly mount?: string }): Promise<string>;
  seal(): Promise<void>;
  unseal(): Promise<void>;
  /** Stops the process's clock: connections are accepted, and not answered. */
  freeze(): void;
  thaw(): void;
  /** Ends the process. The storage stays. */
  kill(): Promise<void>;
  /** Starts the process again on its storage and port, and unseals it. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface Answer {
  readonly auth?: { readonly client_token: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

interface Greeting {
  readonly listening: number;
  readonly rootToken?: string;
  readonly unsealKey?: string;
}

/** Starts a new Vault with a transit engine at `transit` and the key `kalends`, unsealed. */
export async function startVault(options: { readonly flags?: readonly string[] } = {}): Promise<VaultProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-vault-'));
  const file = join(folder, 'storage.json');
  const requests: AuditedRequest[] = [];
  let child: ChildProcess;
  let port = 0;

  const spawnProcess = () =>
    new Promise<Greeting>((resolve, reject) => {
      const env = { ...process.env, VAULT_PORT: String(port) };
      child = spawn(process.execPath, [PROGRAM, file, ...(options.flags ?? [])], {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the Vault of the tests ended with ${code}`)));
      if (child.stdout === null) return reject(new Error('the Vault of the tests has no output'));
      createInterface(child.stdout).on('line', (line) => {
        const said = JSON.parse(line) as Greeting | AuditedRequest;
        if ('listening' in said) resolve(said);
        else requests.push(said);
      });
    });

  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };

  const { listening, rootToken = '', unsealKey = '' } = await spawnProcess();
  port = listening;
  const address = `http://127.0.0.1:${port}`;

  const operate: VaultProcess['operate'] = async (method, path, body, namespace) => {
    const answer = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': rootToken, ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Answer);
  };

  const unseal = async () => void (await operate('PUT', 'sys/unseal', { key: unsealKey }));

  await operate('POST', 'transit/keys/kalends', {});
  return {
    address,
    rootToken,
    requests,
    operate,
    async tokenFor(key, { ttl, mount = 'transit' } = {}) {
      const grant = { capabilities: ['update'] };
      const path = { [`${mount}/encrypt/${key}`]: grant, [`${mount}/decrypt/${key}`]: grant };
      await operate('PUT', `sys/policies/acl/${key}`, { policy: JSON.stringify({ path }) });
      const { auth } = await operate('POST', 'auth/token/create', {
        policies: [key],
        ...(ttl === undefined ? {} : { ttl }),
      });
      return auth?.client_token ?? '';
    },
    seal: async () => void (await operate('PUT', 'sys/seal')),
    unseal,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill,
    async restart() {
      await spawnProcess();
      await unseal();
    },
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
