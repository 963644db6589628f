import { manualClock } from '@kalends/conformance';
import { systemClock } from 'kalends/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAddressGuard } from '../../src/network/address-guard.ts';
import { createOutboundSender, retryAfter } from '../../src/webhooks/outbound-sender.ts';
import { openReceiver } from './receiver.ts';

function senderFor(allowedNetworks: readonly string[], clock = systemClock) {
  const sender = createOutboundSender({ guard: createAddressGuard(allowedNetworks), clock });
  onTestFinished(() => sender.close());
  return (url: string, timeoutMs = 5_000) =>
    sender.post({ url, headers: { 'hook-id': 'msg_1' }, body: '{}', timeoutMs });
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

describe('the outbound sender', () => {
  it('POSTs headers and body, and reports the answer', async () => {
    const receiver = await openReceiver();
    receiver.answer = (_request, response) => response.writeHead(202, { 'retry-after': '7' }).end('thanks\0!');
    expect(await senderFor(LOOPBACK)(`${receiver.url}?a=b`)).toEqual({
      status: 202,
      failure: null,
      retryAfterMs: 7_000,
      excerpt: 'thanks!',
      latencyMs: expect.any(Number),
    });
    expect(receiver.received).toEqual([
      {
        path: '/hook?a=b',
        body: '{}',
        headers: expect.objectContaining({ 'hook-id': 'msg_1', 'content-type': 'application/json' }),
      },
    ]);
  });

  it.each(['not an address', 'https://', ''])('never rejects: %j fails as a connection', async (url) => {
    expect(await senderFor(LOOPBACK)(url)).toMatchObject({ status: null, failure: 'connection' });
  });

  it('follows no redirect', async () => {
    const receiver = await openReceiver();
    receiver.answer = (_request, response) => response.writeHead(307, { location: receiver.url }).end();
    expect(await senderFor(LOOPBACK)(receiver.url)).toMatchObject({ status: 307 });
    expect(receiver.received).toHaveLength(1);
  });

  it('reads a kilobyte of an endless answer', async () => {
    const receiver = await openReceiver();
    receiver.answer = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64_000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const result = await senderFor(LOOPBACK)(receiver.url);
    expect(result).toMatchObject({ status: 200, failure: null });
    expect(result.excerpt).toBe('x'.repeat(1024));
  });

  it('gives up when there is no answer in time', async () => {
    const clock = manualClock();
    const receiver = await openReceiver();
    const post = senderFor(LOOPBACK, clock);
    receiver.answer = () => undefined;
    const silent = post(receiver.url, 15_000);
    await receiver.wait(1);
    await clock.advance(15_000);
    expect(await silent).toMatchObject({ status: null, failure: 'timeout', latencyMs: 15_000 });
  });

  it('counts a status whose body never ends', async () => {
    const receiver = await openReceiver();
    receiver.answer = (_request, response) => void response.write('begun');
    expect(await senderFor(LOOPBACK)(receiver.url, 300)).toMatchObject({
      status: 200,
      failure: null,
      excerpt: 'begun',
    });
  });

  it('dials no refused address, neither a literal nor a name', async () => {
    const receiver = await openReceiver();
    const { port } = new URL(receiver.url);
    const refused = { status: null, failure: 'address-refused' };
    const closed = senderFor([]);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      expect(await closed(`http://${host}:${port}/`)).toMatchObject(refused);
      expect(await closed(`https://${host}:${port}/`)).toMatchObject(refused);
    }
    expect(await senderFor(['10.0.0.0/8'])(receiver.url)).toMatchObject(refused);
    expect(receiver.received).toEqual([]);
    expect(await senderFor(LOOPBACK)(`http://localhost:${port}/`)).toMatchObject({ status: 200 });
  });

  it('reports the kind of failure and never rejects', async () => {
    const post = senderFor(LOOPBACK);
    const receiver = await openReceiver();
    receiver.answer = (request) => request.socket.destroy();
    expect(await post(receiver.url)).toMatchObject({ status: null, failure: 'connection' });
    expect(await post('http://127.0.0.1:1/')).toMatchObject({ status: null, failure: 'connection' });
    expect(await post(receiver.url.replace('http:', 'https:'))).toMatchObject({ status: null, failure: 'tls' });
    expect(await post('https://does-not-exist.invalid/')).toMatchObject({ status: null, failure: 'dns' });
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['Mon, 02 Mar 2026 09:01:00 GMT', 60_000],
    ['Mon, 02 Mar 2026 08:00:00 GMT', 0],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('%j', (value, expected) => {
    expect(retryAfter(value, Date.UTC(2026, 2, 2, 9))).toBe(expected);
  });
});
