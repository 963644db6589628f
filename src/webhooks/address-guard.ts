import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** The only IPv6 space that is routed publicly. */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3];

/**
 * Answers from inside every virtual network of Azure, although the address is public.
 * @see https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const AZURE_WIRE_SERVER: Network = [ipaddr.parse('168.63.129.16'), 32];

/** Bits of `::ffff:0:0/96`, in front of a mapped IPv4 address. */
const MAPPED_PREFIX = 96;

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
      if (!ipaddr.isValid(text) || isCompatible(text)) return false;
      // ::ffff:10.0.0.1 is 10.0.0.1 on the wire.
      const address = ipaddr.process(text);
      if (opened.some((network) => contains(network, address))) return true;
      return protocol === 'https:' && isPublic(address);
    },
  };
}

/** Whether this is `::a.b.c.d` (RFC 4291 §2.5.5.1, deprecated), which ipaddr.js would read as the IPv4 address itself. */
function isCompatible(text: string): boolean {
  return text.startsWith('::') && ipaddr.IPv4.isValidFourPartDecimal(text.slice(2));
}

/** Ranges of IPv6 that embed an IPv4 address (6to4, Teredo, NAT64, mapped, compatible) are not public, whatever they embed. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return contains(GLOBAL_UNICAST, address) && !isIsatap(address);
  return !contains(AZURE_WIRE_SERVER, address);
}

/**
 * Whether the interface id is `::5efe:a.b.c.d`, in any prefix: a gateway sends such packets to the IPv4 address. Two bits of
 * the id (universal, group) vary. @see https://www.rfc-editor.org/rfc/rfc5214#section-6.1
 */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  const [high = 0, low] = parts.slice(4);
  return low === 0x5efe && (high & ~0x0300) === 0;
}

function contains([network, bits]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network as never, bits);
}

function parseNetwork(text: string, option: string): Network {
  try {
    const [address, bits] = ipaddr.parseCIDR(text);
    // Addresses are compared as IPv4 where they map one, so networks are too.
    if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_PREFIX)
      return [address.toIPv4Address(), bits - MAPPED_PREFIX];
    return [address, bits];
  } catch (cause) {
    throw Object.assign(invalid(option, 'must be a network in CIDR form, such as 127.0.0.0/8 or ::1/128'), { cause });
  }
}
