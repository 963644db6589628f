import { BlockList, isIP } from 'node:net';
import { invalidOption } from './invalid-option.ts';

/** The trusted proxies in front of this process, as in Express: their number, or their networks. */
export type TrustProxy = number | readonly string[];

/** The header in which the proxies name their client's address; no other header is read. */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded';

/** The client behind a request. */
export interface Client {
  /** An IPv4 address, or the first 64 bits of an IPv6 address; undefined when the host does not pass one. */
  readonly address: string | undefined;
  /** Whether a proxy that `trustProxy` does not name is in front, so that many clients share the address. */
  readonly isShared: boolean;
}

/** Networks by the names that Express uses. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
/** Most entries of the header that are read, from the right. */
const MOST_HOPS = 50;

/**
 * Creates the function that finds the client of a request.
 * It reads the header from the right, as far as proxies are trusted: the client may have written the entries left of that.
 * @throws KalendsError InvalidRequest for another header, and for a network that is not CIDR
 */
export function createClientAddress(options: {
  readonly trustProxy?: TrustProxy | undefined;
  readonly proxyHeader?: ProxyHeader | undefined;
}): (remoteAddress: string | undefined, headers: Headers) => Client {
  const { trustProxy, proxyHeader = 'x-forwarded-for' } = options;
  if (proxyHeader !== 'x-forwarded-for' && proxyHeader !== 'forwarded') {
    throw invalidOption('proxyHeader', 'must be "x-forwarded-for" or "forwarded"');
  }
  const isTrusted = trustOf(trustProxy ?? 0);
  const isPrivate = trustOf(Object.keys(NAMED));
  return (remoteAddress, headers) => {
    const remote = remoteAddress === undefined ? undefined : readAddress(remoteAddress);
    if (trustProxy === undefined) {
      const isForwarded = headers.has('x-forwarded-for') || headers.has('forwarded');
      return { address: keyOf(remote), isShared: isForwarded && isPrivate(remote, 0) };
    }
    let client = remote;
    for (const [index, entry] of forwarded(headers.get(proxyHeader), proxyHeader).entries()) {
      const address = readAddress(entry);
      if (address === undefined || !isTrusted(client, index)) break;
      client = address;
    }
    return { address: keyOf(client), isShared: false };
  };
}

/** Creates the test whether the peer at a hop is a trusted proxy. A peer without an address uses a local socket. */
function trustOf(trustProxy: TrustProxy): (address: Address | undefined, hop: number) => boolean {
  if (typeof trustProxy === 'number') {
    if (!Number.isInteger(trustProxy) || trustProxy < 0)
      throw invalidOption('trustProxy', 'must be a whole number of proxies, or networks');
    return (_address, hop) => hop < trustProxy;
  }
  if (!Array.isArray(trustProxy) || trustProxy.some((name) => typeof name !== 'string')) {
    throw invalidOption('trustProxy', 'must be a number of proxies, or a list of networks');
  }
  const networks = new BlockList();
  for (const text of trustProxy.flatMap((name) => NAMED[name] ?? [name])) {
    const [network = '', bits] = text.split('/');
    const family = isIP(network);
    const length = bits === undefined ? (family === 4 ? 32 : 128) : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (family === 0 || length < 0 || length > (family === 4 ? 32 : 128)) {
      throw invalidOption(
        'trustProxy',
        `must name networks in CIDR form, ${Object.keys(NAMED).join(', ')}; not ${text}`,
      );
    }
    networks.addSubnet(network, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => address === undefined || networks.check(address.text, address.family);
}

/** Returns the addresses that proxies have added, the nearest first. */
function forwarded(header: string | null, name: ProxyHeader): readonly string[] {
  if (header === null) return [];
  const entries = header.split(',').slice(-MOST_HOPS).reverse();
  if (name === 'x-forwarded-for') return entries;
  return entries.map(forOf);
}

/**
 * Returns the address of a Forwarded entry: `for=192.0.2.43;proto=https`, `for="[2001:db8::1]:4711"`. Without `for` it is empty.
 * @see RFC 7239 §4
 */
function forOf(entry: string): string {
  const pair = entry
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.slice(0, 4).toLowerCase() === 'for=');
  const value = pair?.slice(4) ?? '';
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}

interface Address {
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Eight groups of IPv6, empty for IPv4. */
  readonly groups: readonly number[];
}

/** Reads an address with or without brackets, port and zone; an IPv4 address inside an IPv6 address counts as IPv4. */
function readAddress(entry: string): Address | undefined {
  const text = entry.trim().replace(/^\[([^\]]*)\](?::\d{1,5})?$/, '$1');
  const plain = /^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : (text.split('%')[0] ?? '');
  const family = isIP(plain);
  if (family === 4) return { text: plain, family: 'ipv4', groups: [] };
  if (family === 0) return undefined;
  const groups = groupsOf(plain);
  const [high = 0, low = 0] = groups.slice(6);
  const head = groups.slice(0, 6).join();
  if (head === '0,0,0,0,0,65535' || head === `${0x64},${0xff9b},0,0,0,0`) {
    return { text: [high >> 8, high & 255, low >> 8, low & 255].join('.'), family: 'ipv4', groups: [] };
  }
  return { text: plain, family: 'ipv6', groups };
}

function groupsOf(address: string): readonly number[] {
  // URLs write IPv6 addresses in one form, without dots.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const read = (part: string) => part.split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)]));
  const [left, right] = [read(head), read(tail ?? '')];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

/** Returns the key that failures count under: one IPv6 subscriber has at least a /64. */
function keyOf(address: Address | undefined): string | undefined {
  if (address === undefined || address.family === 'ipv4') return address?.text;
  return `${address.groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
