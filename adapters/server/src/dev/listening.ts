import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from '../command-error.ts';

/** Listens on this machine only; resolves with the port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Stops listening and waits for the answers that are under way. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
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
