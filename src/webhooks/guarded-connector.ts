import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

/** As `dns.lookup` when it is asked for all addresses. */
export type LookupAll = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The address that a webhook's host has now is inside a network that webhooks must not reach. */
export class AddressRefusedError extends Error {
  constructor() {
    super('The address of the webhook is inside a private or reserved network.');
    this.name = 'AddressRefusedError';
  }
}

/**
 * Opens connections to allowed addresses only. The address that is checked is the one that is dialled: names are resolved
 * once, inside the connection (no rebinding in between), and literals, for which no lookup happens, are checked before.
 */
export function createGuardedConnector(
  guard: AddressGuard,
  connectTimeoutMs: number,
  lookup: LookupAll = systemLookup,
): buildConnector.connector {
  const connectorOf = (protocol: 'http:' | 'https:') =>
    buildConnector({
      timeout: connectTimeoutMs,
      lookup: guardedLookup(guard, protocol, lookup),
    } as buildConnector.BuildOptions);
  const connectors = { 'http:': connectorOf('http:'), 'https:': connectorOf('https:') };
  return (target, callback) => {
    const protocol = target.protocol === 'http:' ? 'http:' : 'https:';
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !guard.allows(host, protocol)) {
      callback(new AddressRefusedError(), null);
      return;
    }
    connectors[protocol](target, callback);
  };
}

function guardedLookup(guard: AddressGuard, protocol: 'http:' | 'https:', lookup: LookupAll): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      // One private address among public ones is refused as a whole: which one would be dialled is not ours to say.
      if (!addresses.every(({ address }) => guard.allows(address, protocol))) {
        return callback(new AddressRefusedError(), '', 0);
      }
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses as readonly LookupAddress[];
      return callback(null, first!.address, first!.family);
    });
  };
}
