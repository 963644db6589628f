import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { OutboundResult } from 'kalends/ports';
import { systemClock, systemRandom } from 'kalends/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAddressGuard } from '../../src/network/address-guard.ts';
import { createOutboundSender } from '../../src/webhooks/outbound-sender.ts';
import { decideOutcome } from '../../src/webhooks/retry-schedule.ts';
import { errorClassOf } from '../../src/webhooks/target-operations.ts';

function openSender() {
  const sender = createOutboundSender({ guard: createAddressGuard(['127.0.0.0/8']), clock: systemClock });
  onTestFinished(() => sender.close());
  return (url: string, timeoutMs = 5_000) => sender.post({ url, headers: {}, body: '{}', timeoutMs });
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A receiver that writes what it wants, well-formed or not, once a request has come. */
async function rawReceiver(answer: (socket: Socket, path: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.once('data', (data) => answer(socket, String(data).split(' ')[1] ?? ''));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

const outcomeOf = (result: OutboundResult) =>
  decideOutcome({ result, attempts: 1, failingSince: null, now: 0 }, systemRandom);

describe('an answer', () => {
  it('of every status from 100 to 599 is classified, and only 2xx is a success', async () => {
    const post = openSender();
    const url = await rawReceiver((socket, path) => {
      const status = Number(path.slice(1));
      socket.end(`HTTP/1.1 ${status} S\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
    const seen = new Map<string, number[]>();
    for (let status = 100; status < 600; status += 1) {
      const result = await post(`${url}/${status}`);
      const { kind } = outcomeOf(result);
      // An informational answer that nothing follows is none.
      if (status >= 200) expect(result).toMatchObject({ status, failure: null });
      else expect(result).toMatchObject({ status: null, failure: 'connection' });
      const expected = status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'disabled' : 'retry';
      expect(`${status} ${kind}`).toBe(`${status} ${expected}`);
      const errorClass = String(errorClassOf(result));
      seen.set(errorClass, [...(seen.get(errorClass) ?? []), status]);
    }
    const range = (from: number) => Array.from({ length: 100 }, (_, index) => from + index);
    expect(Object.fromEntries(seen)).toEqual({
      connection: range(100),
      null: range(200),
      redirect: range(300),
      'client-error': range(400),
      'server-error': range(500),
    });
  }, 60_000);

  it.each([429, 502, 503, 504])('of %i delays the retry by at least a minute', (status) => {
    const result: OutboundResult = { status, failure: null, retryAfterMs: null, excerpt: '', latencyMs: 1 };
    for (let attempts = 1; attempts < 10; attempts += 1) {
      const outcome = decideOutcome({ result, attempts, failingSince: null, now: 1_000 }, systemRandom);
      expect(outcome).toMatchObject({ kind: 'retry' });
      if (outcome.kind === 'retry') expect(outcome.at).toBeGreaterThanOrEqual(61_000);
    }
  });

  it('that arrives byte by byte counts by its status, and is abandoned when it is too slow', async () => {
    const post = openSender();
    const drip = (text: string, everyMs: number) => (socket: Socket) => {
      let sent = 0;
      const timer = setInterval(() => {
        if (sent < text.length && !socket.destroyed) socket.write(text[sent++]!);
        else clearInterval(timer);
      }, everyMs);
    };
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n';
    expect(await post(await rawReceiver(drip(`${head}${'x'.repeat(1_000)}`, 1)), 500)).toMatchObject({ status: 200 });
    expect(await post(await rawReceiver(drip(head, 100)), 300)).toMatchObject({ status: null, failure: 'timeout' });
  });

  it('that is compressed is kept as received, never decompressed', async () => {
    const post = openSender();
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const url = await rawReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    const result = await post(url);
    expect(result).toMatchObject({ status: 200, failure: null });
    expect(result.excerpt.charCodeAt(0)).toBe(bomb[0]);
    expect(Buffer.byteLength(result.excerpt)).toBeLessThanOrEqual(3 * 1_024);
  });

  it('without an end, or with endless headers, is cut off: the receiver gets rid of a few megabytes', async () => {
    const post = openSender();
    const block = Buffer.alloc(65_536, 'x');
    let poured = 0;
    const pour = (start: string) => (socket: Socket) => {
      socket.write(start);
      const more = () => {
        while (!socket.destroyed && socket.write(block));
        if (!socket.destroyed) socket.once('drain', more);
      };
      socket.on('close', () => {
        poured = Math.max(poured, socket.bytesWritten - socket.writableLength);
      });
      more();
    };
    const endless = await rawReceiver(pour('HTTP/1.1 200 OK\r\n\r\n'));
    const headers = await rawReceiver(pour('HTTP/1.1 200 OK\r\nx-endless: '));
    for (let round = 0; round < 20; round += 1) {
      expect(await post(endless)).toMatchObject({ status: 200, excerpt: 'x'.repeat(1_024) });
      expect(await post(headers)).toMatchObject({ status: null, failure: 'connection' });
    }
    // The buffers of the two sockets hold most of it.
    expect(poured).toBeGreaterThan(0);
    expect(poured).toBeLessThan(20_000_000);
  });

  it('over broken TLS is a failure of tls', async () => {
    const post = openSender();
    const plain = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await post(`https://127.0.0.1:${await listen(plain)}/`)).toMatchObject({ status: null, failure: 'tls' });
    // No certificate at all: no cipher in common.
    const bare = createTlsServer({}, (_request, response) => response.end());
    expect(await post(`https://127.0.0.1:${await listen(bare)}/`)).toMatchObject({ status: null, failure: 'tls' });
    const closing = createServer((socket) => socket.once('data', () => socket.destroy()));
    expect(await post(`https://127.0.0.1:${await listen(closing)}/`)).toMatchObject({
      status: null,
      failure: 'connection',
    });
  });

  it.each([
    ['nothing', ''],
    ['no HTTP', 'hello\r\n\r\n'],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
  ])('of %s is a failure of the connection', async (_name, text) => {
    const url = await rawReceiver((socket) => socket.end(text));
    expect(await openSender()(url)).toMatchObject({ status: null, failure: 'connection' });
  });
});
