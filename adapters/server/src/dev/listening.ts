import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from '../command-error.ts';

/** Listens, on this machine only unless told otherwise; resolves with the port. */
export function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** How long answers under way may take when the server stops. */
const GRACE_MS = 5_000;
const SWEEP_MS = 50;

/**
 * Stops listening, lets answers that are under way end within a few seconds, then breaks what is left: a client that holds
 * a connection open must not keep the process alive.
 */
export function close(server: Server, graceMs = GRACE_MS): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection is idle, and waits for another request, once its answer has been sent.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** @throws CommandError saying which option chooses another port, when this one is taken */
export async function onFreePort<Result>(start: () => Promise<Result>, port: number, option: string): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new CommandError(`port ${port} is taken; choose another with ${option} N, or ${option} 0 for any`, 1);
  }
}
