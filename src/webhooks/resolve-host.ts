import { lookup } from 'node:dns/promises';

/** All addresses of a host name, as connections would use them. Rejects when it does not resolve. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** The operating system's answer, hosts file included: it is what a connection would dial. */
export const systemResolveHost: ResolveHost = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);
