import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createSandbox } from '@kalends/sandbox';
import type { Environment } from '../../src/environment.ts';
import { runParityCommand } from '../../src/parity/parity-command.ts';
import type { ProviderName } from '../../src/parity/provider-at.ts';

export const EMAIL = 'tester@sandbox.example';
export const CLIENT = { clientId: 'a-client', clientSecret: 'a-client-secret' };
/** One short case. */
export const ONE_CASE = 'update: isCancelled deletes';

/** Starts a sandbox over HTTP in the place of the live service. */
export async function startStandIn(name: ProviderName) {
  const sandbox = createSandbox({ seed: 11 });
  const server = sandbox[name];
  server.addMailbox({ email: EMAIL, name: 'Tester', timeZone: 'Europe/London' });
  server.addClient({ ...CLIENT, redirectUris: [] });
  if (name === 'microsoft') server.controls['setExtraChangeKeys']?.({ share: 0 });
  const { url } = await sandbox.listen();
  const env: Environment = {
    KALENDS_PARITY_CLIENT_ID: CLIENT.clientId,
    KALENDS_PARITY_CLIENT_SECRET: CLIENT.clientSecret,
    KALENDS_PARITY_ROOT: `${url}/${name}`,
  };
  return { sandbox, server, env, refreshToken: server.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId }) };
}

/** Runs the command; resolves with its exit code and everything that it printed. */
export async function runCommand(args: readonly string[], env: Environment, onStderr?: (text: string) => void) {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let stderr = '';
  io.stderr.on('data', (data: Buffer) => {
    stderr += String(data);
    onStderr?.(stderr);
  });
  const code = await runParityCommand(args, io, env).finally(() => io.stdout.end());
  return { code, stdout: await text(io.stdout), stderr };
}
