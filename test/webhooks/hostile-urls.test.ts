import { type AddressInfo, createServer } from 'node:net';
import { systemClock } from 'kalends/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAddressGuard } from '../../src/network/address-guard.ts';
import type { LookupAll } from '../../src/network/guarded-connector.ts';
import { createOutboundSender } from '../../src/webhooks/outbound-sender.ts';
import { createWebhookUrlCheck } from '../../src/webhooks/webhook-url.ts';

const PUBLIC = '93.184.215.14';
const REBINDINGS = 1_000;

/** Listens inside, on every address of this machine, and counts who comes. */
async function inside() {
  const counter = { connections: 0, port: 0 };
  const server = createServer((socket) => {
    counter.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  counter.port = (server.address() as AddressInfo).port;
  return counter;
}

/** Hosts that mean this machine, its network or its cloud, however they are written. */
const HOSTS: readonly string[] = [
  ...['127.0.0.1', '127.1', '127.0.1', '0', '0.0.0.0', '0x0', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1'],
  ...['017700000001', '127.255.255.254', '127.0.0.1.', '①②⑦.0.0.1', '127。0。0。1', '%31%32%37.0.0.1'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'loc%61lhost', 'ⓛocalhost'],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255', '0xa.1'],
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '169.254.1.1', '100.64.0.1', '100.100.100.200', '192.0.0.192'],
  ...['198.18.0.1', '192.0.2.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[0::ffff:0a00:1]',
  ],
  ...['[64:ff9b::7f00:1]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[fe80::1]', '[fc00::1]'],
  ...['[fd00:ec2::254]', '[ff02::1]', '[2001:db8::1]', '[fec0::1]', '[100::1]'],
];

function senderWith(lookup?: LookupAll) {
  const guard = createAddressGuard([]);
  const sender = createOutboundSender({ guard, clock: systemClock, ...(lookup === undefined ? {} : { lookup }) });
  onTestFinished(() => sender.close());
  return (url: string) => sender.post({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
}

const answering = (...answers: readonly (readonly string[])[]): LookupAll => {
  let asked = 0;
  return (_host, _options, callback) => {
    const addresses = answers[asked % answers.length]!;
    asked += 1;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
};

describe('an address inside is never reached', () => {
  it(`by ${HOSTS.length} hostile hosts, over http and https, neither when checked nor when dialled`, async () => {
    const counter = await inside();
    expect(HOSTS.length).toBeGreaterThanOrEqual(60);
    const post = senderWith();
    const check = createWebhookUrlCheck({
      guard: createAddressGuard([]),
      resolveHost: async () => ['127.0.0.1'],
      clock: systemClock,
    });
    for (const protocol of ['http', 'https']) {
      for (const host of HOSTS) {
        const url = `${protocol}://${host}:${counter.port}/hook`;
        await expect(check.check(url), url).rejects.toMatchObject({ code: 'InvalidRequest' });
        expect(await post(url), url).toMatchObject({ status: null });
      }
    }
    expect(counter.connections).toBe(0);
  });

  it.each([
    ['a name that has become private', [['127.0.0.1']]],
    [
      'a private address among public ones',
      [
        [PUBLIC, '127.0.0.1'],
        ['127.0.0.1', PUBLIC],
        [PUBLIC, '::1'],
      ],
    ],
    ['mapped and embedded addresses', [['::ffff:127.0.0.1'], ['64:ff9b::7f00:1'], ['::1'], ['fe80::1']]],
  ])(`by ${REBINDINGS} rebindings to %s`, async (_name, answers) => {
    const counter = await inside();
    const guard = createAddressGuard([]);
    const check = createWebhookUrlCheck({ guard, resolveHost: async () => [PUBLIC], clock: systemClock });
    const post = senderWith(answering(...answers));
    for (let round = 0; round < REBINDINGS; round += 1) {
      const url = `https://rebinding${round}.example:${counter.port}/hook`;
      await check.check(url);
      expect(await post(url)).toMatchObject({ status: null, failure: 'address-refused' });
    }
    expect(counter.connections).toBe(0);
  });

  it('by a redirect', async () => {
    const counter = await inside();
    const redirecting = createServer((socket) =>
      socket.once('data', () =>
        socket.end(
          `HTTP/1.1 307 T\r\nlocation: http://127.0.0.1:${counter.port}/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
        ),
      ),
    );
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => void redirecting.close(() => resolve())));
    const sender = createOutboundSender({ guard: createAddressGuard(['127.0.0.1/32']), clock: systemClock });
    onTestFinished(() => sender.close());
    const { port } = redirecting.address() as AddressInfo;
    const sent = { url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', timeoutMs: 5_000 };
    expect(await sender.post(sent)).toMatchObject({ status: 307 });
    expect(counter.connections).toBe(0);
  });
});
