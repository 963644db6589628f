import { manualClock } from '@kalends/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAddressGuard } from '../../src/network/address-guard.ts';
import type { LookupAll } from '../../src/network/guarded-connector.ts';
import { createOutboundSender } from '../../src/webhooks/outbound-sender.ts';
import { createWebhookUrlCheck } from '../../src/webhooks/webhook-url.ts';
import { openReceiver } from '../webhooks/receiver.ts';

/** Forms of an address that is not public, and the kind of each. */
const REFUSED: readonly (readonly [kind: string, ...addresses: readonly string[]])[] = [
  ['the wire server of Azure', '168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16'],
  ['metadata services', '169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192'],
  ['this network and loopback', '0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '::', '::1'],
  ['private networks', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fdff::1'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['protocol assignments', '192.0.0.1', '192.0.0.170', '192.88.99.1'],
  ['documentation and benchmarks', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '2001:db8::1'],
  ['multicast and the reserved rest', '224.0.0.1', '240.0.0.1', '255.255.255.255', 'ff02::1', '4000::1'],
  ['link-local and site-local', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  ['IPv4-mapped', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:0:10.0.0.1'],
  ['IPv4-compatible', '::10.0.0.1', '::7f00:1', '::93.184.216.34'],
  ['NAT64', '64:ff9b::10.0.0.1', '64:ff9b::93.184.216.34', '64:ff9b:1::10.0.0.1', '64:ff9b:1:ffff::a00:1'],
  ['6to4', '2002:a00:1::1', '2002:7f00:1::', '2002:5db8:d822::1'],
  ['Teredo', '2001::1', '2001:0:a00:1::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  [
    'ISATAP',
    'fe80::5efe:10.0.0.1',
    '2606:2800:220:1:0:5efe:10.0.0.1',
    '2606:2800:220:1:200:5efe:10.0.0.1',
    '2606:2800:220:1:0:5efe:a9fe:a9fe',
    '2606:2800:220:1:200:5efe:7f00:1',
    '2606:2800:220:1:100:5efe:10.0.0.1',
    '2606:2800:220:1:0:5efe:93.184.216.34',
  ],
];

const PUBLIC = [
  ...['93.184.216.34', '168.63.129.15', '168.63.129.17', '100.63.255.255', '100.128.0.1', '172.32.0.1', '192.0.1.1'],
  ...['2606:2800:220:1::1', '2a00:1450:4001::5efe', '2606:2800:220:1:5efe:0:a00:1', '2606:2800:220:1:400:5efe:a00:1'],
];

describe('an address is refused, over http and https, though it is', () => {
  it.each(REFUSED)('%s', (_kind, ...addresses) => {
    const guard = createAddressGuard([]);
    for (const address of addresses) {
      expect([address, guard.allows(address, 'https:'), guard.allows(address, 'http:')]).toEqual([
        address,
        false,
        false,
      ]);
    }
  });
});

it('public addresses are allowed, by https alone', () => {
  const guard = createAddressGuard([]);
  for (const address of PUBLIC) {
    expect([address, guard.allows(address, 'https:'), guard.allows(address, 'http:')]).toEqual([address, true, false]);
  }
});

describe('an opened network', () => {
  const opened = ['127.0.0.0/8', '10.20.0.0/16'];

  it('opens http and private addresses for itself alone', () => {
    const guard = createAddressGuard(opened);
    for (const address of ['127.0.0.1', '10.20.255.255', '::ffff:10.20.0.1']) {
      expect([guard.allows(address, 'http:'), guard.allows(address, 'https:')]).toEqual([true, true]);
    }
    for (const [, ...addresses] of REFUSED) {
      for (const address of addresses.filter((text) => !text.startsWith('127.'))) {
        if (guard.allows(address, 'https:')) expect(address).toMatch(/7f00:1$/);
      }
    }
    expect(guard.allows('10.21.0.1', 'https:')).toBe(false);
    expect(guard.allows('93.184.216.34', 'http:')).toBe(false);
  });

  it('is the same network when it is written as IPv4-mapped', () => {
    const guard = createAddressGuard(['::ffff:10.20.0.0/112']);
    expect(guard.allows('10.20.1.1', 'http:')).toBe(true);
    expect(guard.allows('10.21.1.1', 'http:')).toBe(false);
  });

  it('lets no http URL be stored whose name does not resolve into it', async () => {
    const hosts: Readonly<Record<string, readonly string[]>> = {
      'inside.example': ['10.20.0.1'],
      'outside.example': ['93.184.216.34'],
      'half.example': ['10.20.0.1', '93.184.216.34'],
      'elsewhere.example': ['10.21.0.1'],
      'nothing.example': [],
    };
    const { check } = createWebhookUrlCheck({
      guard: createAddressGuard(opened),
      clock: manualClock(),
      resolveHost: async (host) => {
        const addresses = hosts[host];
        if (addresses === undefined) throw new Error('ENOTFOUND');
        return addresses;
      },
    });
    await check('http://inside.example/');
    await check('http://10.20.3.4:8080/');
    await check('https://half.example/');
    await check('https://unknown.example/');
    const rules = async (url: string) => check(url).catch(({ details }) => details);
    const needsHttps = [{ path: 'webhookUrl', message: 'must use https' }];
    for (const host of ['outside', 'half', 'unknown', 'nothing']) {
      expect([host, await rules(`http://${host}.example/`)]).toEqual([host, needsHttps]);
    }
    expect(await rules('http://elsewhere.example/')).toEqual([
      { path: 'webhookUrl', message: 'must not address a private or reserved network' },
    ]);
  });

  it('is all that http dials, whatever else the name resolves to at that moment', async () => {
    const receiver = await openReceiver();
    const { port } = new URL(receiver.url);
    let addresses: readonly string[] = [];
    const lookup: LookupAll = (_host, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    const clock = manualClock();
    const sender = createOutboundSender({ guard: createAddressGuard(['127.0.0.0/8']), clock, lookup });
    onTestFinished(() => sender.close());
    const post = (host: string) =>
      sender.post({ url: `http://${host}.example:${port}/`, headers: {}, body: '{}', timeoutMs: 5_000 });
    for (const [host, resolved] of [
      ['a', ['127.0.0.1', '93.184.216.34']],
      ['b', ['93.184.216.34', '127.0.0.1']],
      ['c', ['93.184.216.34']],
      ['d', ['10.0.0.1']],
    ] as const) {
      addresses = resolved;
      expect([host, await post(host)]).toMatchObject([host, { status: null, failure: 'address-refused' }]);
    }
    expect(receiver.received).toEqual([]);
    addresses = ['127.0.0.1'];
    expect(await post('e')).toMatchObject({ status: 200 });
  });
});
