import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { buildConnector } from './undici.ts';

/** `dns.lookup` with the option `all`. */
export type LookupAll = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Says what is wrong with an address that the guard refuses, and the setting that opens it. */
export const REFUSED_ADDRESS =
  'is inside a private or reserved network, or is not https; the operator can open networks with allowedNetworks ' +
  '(KALENDS_ALLOWED_NETWORKS)';

/** Thrown when a host resolves to an address that must not be reached. */
class AddressRefusedError extends Error {
  constructor() {
    super(`The address ${REFUSED_ADDRESS}.`);
    this.name = 'AddressRefusedError';
  }
}

/** Returns whether a request failed because its address is refused: fetch wraps the error. */
export function isAddressRefused(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AddressRefusedError) return true;
  }
  return false;
}

/**
 * Creates a connector that dials allowed addresses only. It checks the address that it dials: a name is resolved once, inside
 * the connection, which rules out DNS rebinding; a literal has no lookup and is checked before.
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
      // Refuse the host for one private address among public ones: Node.js chooses which one is dialled.
      const [first] = addresses;
      if (first === undefined) return callback(noAddress(host), '', 0);
      if (!addresses.every(({ address }) => guard.allows(address, protocol))) {
        return callback(new AddressRefusedError(), '', 0);
      }
      if (options.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

/** The error of a name without an address, with the code of a failed lookup. */
function noAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`The name ${host} has no address.`), { code: 'ENOTFOUND' });
}
