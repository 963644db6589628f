import { lookup } from 'node:dns/promises';

/** Returns all addresses of a host name as a connection uses them. Rejects when it does not resolve. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Asks the operating system, hosts file included, as a connection does. */
export const systemResolveHost: ResolveHost = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);
