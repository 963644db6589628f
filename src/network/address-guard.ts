import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** The only IPv6 space that is routed publicly. */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3];

/**
 * A public address that is reachable only from inside each Azure virtual network.
 * @see https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const AZURE_WIRE_SERVER: Network = [ipaddr.parse('168.63.129.16'), 32];

/** Prefix length of IPv4-mapped addresses (`::ffff:0:0/96`). */
const MAPPED_PREFIX = 96;

/** Decides which addresses may be dialled for URLs that users chose. */
export interface AddressGuard {
  /** Returns whether a URL of this protocol may be dialled at this address (a literal without brackets). */
  allows(address: string, protocol: 'http:' | 'https:'): boolean;
  /** Whether any network is allowed, and http with it. */
  readonly opensNetworks: boolean;
}

/**
 * Creates a guard that allows public unicast addresses for https, and `allowedNetworks` for https and http. `option` names the
 * list in errors.
 * @throws KalendsError InvalidRequest for a network that is not CIDR
 */
export function createAddressGuard(
  allowedNetworks: readonly string[],
  option = 'webhooks.allowedNetworks',
): AddressGuard {
  const opened = allowedNetworks.map((text, index) => parseNetwork(text, `${option}.${index}`));
  return {
    opensNetworks: opened.length > 0,
    allows(text, protocol) {
      if (!ipaddr.isValid(text) || isCompatible(text)) return false;
      // ::ffff:10.0.0.1 is 10.0.0.1 on the wire.
      const address = ipaddr.process(text);
      if (opened.some((network) => contains(network, address))) return true;
      return protocol === 'https:' && isPublic(address);
    },
  };
}

/** Returns whether this is `::a.b.c.d` (RFC 4291 §2.5.5.1, deprecated), which ipaddr.js reads as the IPv4 address. */
function isCompatible(text: string): boolean {
  return text.startsWith('::') && ipaddr.IPv4.isValidFourPartDecimal(text.slice(2));
}

/** Returns whether an address is public. IPv6 ranges that embed IPv4 (6to4, Teredo, NAT64, mapped, compatible) never are. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return contains(GLOBAL_UNICAST, address) && !isIsatap(address);
  return !contains(AZURE_WIRE_SERVER, address);
}

/**
 * Returns whether the interface id is `::5efe:a.b.c.d` under any prefix: a gateway forwards such packets to the IPv4 address.
 * Two bits of the id (universal, group) vary. @see https://www.rfc-editor.org/rfc/rfc5214#section-6.1
 */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  const [high = 0, low] = parts.slice(4);
  return low === 0x5efe && (high & ~0x0300) === 0;
}

function contains([network, bits]: Network, address: Address): boolean {
  // `match` takes an address of its own kind, which the comparison has established.
  return network.kind() === address.kind() && address.match(network as never, bits);
}

function parseNetwork(text: string, option: string): Network {
  try {
    const [address, bits] = ipaddr.parseCIDR(text);
    // Mapped addresses are compared as IPv4, so mapped networks are too.
    if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_PREFIX)
      return [address.toIPv4Address(), bits - MAPPED_PREFIX];
    return [address, bits];
  } catch (cause) {
    throw Object.assign(invalid(option, 'must be a network in CIDR form, such as 127.0.0.0/8 or ::1/128'), { cause });
  }
}
