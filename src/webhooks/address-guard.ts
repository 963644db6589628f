import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** The only IPv6 space that is routed publicly. */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3];

/** Decides which addresses webhooks may be sent to. */
export interface AddressGuard {
  /** Whether this address (a literal, without brackets) may be dialled for a URL of this protocol. */
  allows(address: string, protocol: 'http:' | 'https:'): boolean;
  /** Whether any network is opened, and so http may be allowed at all. */
  readonly opensNetworks: boolean;
}

/**
 * Public unicast addresses are allowed for https; every address in `allowedNetworks` is allowed for https and http.
 * @throws KalendsError InvalidRequest for a network that is not CIDR
 */
export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const opened = allowedNetworks.map((text, index) => parseNetwork(text, `webhooks.allowedNetworks.${index}`));
  return {
    opensNetworks: opened.length > 0,
    allows(text, protocol) {
      if (!ipaddr.isValid(text)) return false;
      // ::ffff:10.0.0.1 is 10.0.0.1 on the wire.
      const address = ipaddr.process(text);
      if (opened.some((network) => contains(network, address))) return true;
      return protocol === 'https:' && isPublic(address);
    },
  };
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || contains(GLOBAL_UNICAST, address);
}

function contains([network, bits]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network as never, bits);
}

function parseNetwork(text: string, option: string): Network {
  try {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits];
  } catch (cause) {
    throw Object.assign(invalid(option, 'must be a network in CIDR form, such as 127.0.0.0/8 or ::1/128'), { cause });
  }
}
