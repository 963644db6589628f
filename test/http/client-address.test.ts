import { createClientAddress, type ProxyHeader, type TrustProxy } from '@kalends/http';
import { describe, expect, it } from 'vitest';

function addressOf(
  remoteAddress: string | undefined,
  header: string | undefined,
  trustProxy?: TrustProxy,
  proxyHeader: ProxyHeader = 'x-forwarded-for',
) {
  const headers = new Headers(header === undefined ? {} : { [proxyHeader]: header });
  return createClientAddress({ trustProxy, proxyHeader })(remoteAddress, headers).address;
}

describe('the address that counts', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['64:ff9b::198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['nonsense', undefined],
    [undefined, undefined],
  ])('of %s is %s', (remoteAddress, expected) => {
    expect(addressOf(remoteAddress, undefined)).toBe(expected);
  });

  it.each([
    // Without trust the header is what the client wrote.
    [undefined, '10.0.0.1', '203.0.113.1', '10.0.0.1'],
    [0, '10.0.0.1', '203.0.113.1', '10.0.0.1'],
    // One proxy: the last entry, whatever the client wrote left of it.
    [1, '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    [1, '10.0.0.1', '1.1.1.1, 2.2.2.2, 203.0.113.1', '203.0.113.1'],
    [2, '10.0.0.1', '1.1.1.1, 203.0.113.1, 10.0.0.2', '203.0.113.1'],
    [2, '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    [1, '10.0.0.1', undefined, '10.0.0.1'],
    // A text that is no address ends the walk at the proxy that passed it on.
    [1, '10.0.0.1', '203.0.113.1, unknown', '10.0.0.1'],
    [2, '10.0.0.1', '203.0.113.1, garbage, 10.0.0.2', '10.0.0.2'],
    [1, '10.0.0.1', '', '10.0.0.1'],
    [1, '10.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
    [1, '10.0.0.1', '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
    [1, '10.0.0.1', '2001:db8::1', '2001:db8:0:0::/64'],
    // Networks: as far as they are trusted.
    [['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 203.0.113.1, 10.0.0.2', '203.0.113.1'],
    [['10.0.0.0/8'], '198.51.100.7', '203.0.113.1', '198.51.100.7'],
    [['10.0.0.0/8'], '::ffff:10.0.0.1', '203.0.113.1', '203.0.113.1'],
    [['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    [['uniquelocal', 'loopback'], '127.0.0.1', '203.0.113.1, fd00::1, 192.168.1.1', '203.0.113.1'],
    [['10.0.0.1'], '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    [['2001:db8::/32'], '2001:db8::9', '203.0.113.1', '203.0.113.1'],
    // A proxy that comes by a Unix socket.
    [['loopback'], undefined, '203.0.113.1', '203.0.113.1'],
    [[], '10.0.0.1', '203.0.113.1', '10.0.0.1'],
  ] as const)('behind %j, from %s with X-Forwarded-For %j is %s', (trustProxy, remoteAddress, header, expected) => {
    expect(addressOf(remoteAddress, header, trustProxy)).toBe(expected);
  });

  it.each([
    ['for=192.0.2.43', '192.0.2.43'],
    ['for=1.1.1.1, For="[2001:db8:cafe::17]:4711";proto=https;by=203.0.113.43', '2001:db8:cafe:0::/64'],
    ['for=1.1.1.1, proto=https;for="192.0.2.60:80"', '192.0.2.60'],
    ['for=1.1.1.1, by=203.0.113.43', '10.0.0.1'],
    ['for=1.1.1.1, for=_hidden', '10.0.0.1'],
    ['for=1.1.1.1, for=unknown', '10.0.0.1'],
  ])('by Forwarded: %s is %s', (header, expected) => {
    expect(addressOf('10.0.0.1', header, 1, 'forwarded')).toBe(expected);
  });

  it('is read from the configured header alone', () => {
    const headers = new Headers({ forwarded: 'for=1.1.1.1', 'x-forwarded-for': '203.0.113.1' });
    expect(createClientAddress({ trustProxy: 1 })('10.0.0.1', headers).address).toBe('203.0.113.1');
    const forwarded = createClientAddress({ trustProxy: 1, proxyHeader: 'forwarded' });
    expect(forwarded('10.0.0.1', headers).address).toBe('1.1.1.1');
  });

  it('is shared by many behind a private peer that forwards and is not named', () => {
    const headers = new Headers({ 'x-forwarded-for': '203.0.113.1' });
    const clientOf = createClientAddress({});
    for (const peer of ['10.0.0.1', '127.0.0.1', '::1', '::ffff:172.17.0.1', 'fd00::1']) {
      expect(clientOf(peer, headers).isShared).toBe(true);
      expect(clientOf(peer, new Headers()).isShared).toBe(false);
    }
    for (const peer of ['198.51.100.7', '2001:db8::1', '172.32.0.1'])
      expect(clientOf(peer, headers).isShared).toBe(false);
    expect(createClientAddress({ trustProxy: 1 })('10.0.0.1', headers).isShared).toBe(false);
  });

  it.each([
    [['10.0.0.0/33']],
    [['10.0.0.0/']],
    [['everybody']],
    [['10.0.0/8']],
    [-1],
    [1.5],
  ] as TrustProxy[][])('takes no %j for proxies', (trustProxy) => {
    expect(() => createClientAddress({ trustProxy: trustProxy as TrustProxy })).toThrow(/trustProxy/);
  });
});
