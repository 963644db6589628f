import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from '../command-error.ts';

/** Listens, by default on this machine alone; resolves with the port. */
export function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Longest time that answers in progress may take once the server stops. */
const GRACE_MS = 5_000;
const SWEEP_MS = 50;

/**
 * Stops listening, waits a few seconds for answers in progress, then closes the other connections: a client that keeps one
 * open must not keep the process alive.
 */
export function close(server: Server, graceMs = GRACE_MS): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection becomes idle once its answer is sent.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Codes of a host that is not an address of this machine. */
const FOREIGN = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'];

/** Runs `start`. @throws CommandError naming the option that chooses another port or host, when these cannot be listened on */
export async function onFreePort<Result>(start: () => Promise<Result>, port: number, option: string): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const other = `choose another with ${option} N, or ${option} 0 for any`;
    if (code === 'EADDRINUSE') throw new CommandError(`port ${port} is taken; ${other}`, 1);
    if (code === 'EACCES') throw new CommandError(`this user may not listen on port ${port}; ${other}`, 1);
    if (!FOREIGN.includes(code)) throw error;
    throw new CommandError(`KALENDS_HOST (--host) must be an address of this machine: ${message}`, 1);
  }
}
