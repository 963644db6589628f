import { createServer, type Socket } from 'node:net';
import { guardedFetch } from 'kalends/guarded-fetch';
import { expect, it, onTestFinished } from 'vitest';

/** More than a response holds before its connection is asked to wait. */
const LENGTH = 65_536;

/** A server that ends its connections after each answer, as those of HTTP/1.0 do. */
async function startServer(answer: (socket: Socket) => void): Promise<{ readonly url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/` };
}

const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

const fetch = guardedFetch({ allowedNetworks: ['127.0.0.0/8'] });

it('a connection that ends before its answer is read ends no process, and loses nothing', async () => {
  let ended: Promise<unknown> | undefined;
  const { url } = await startServer((socket) => {
    ended = closed(socket);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${LENGTH}\r\nConnection: close\r\n\r\n`);
    socket.end(Buffer.alloc(LENGTH, 'a'));
  });
  const response = await fetch(url);
  await ended;
  // The end of the connection has been seen here too.
  await new Promise((resolve) => setImmediate(resolve));
  expect((await response.text()).length).toBe(LENGTH);
});

it('an answer of which far too much is unread is cut', async () => {
  let cut: Promise<unknown> | undefined;
  const { url } = await startServer((socket) => {
    cut = closed(socket);
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
    // Without an end.
    const more = () => void (socket.writable && socket.write(Buffer.alloc(1_048_576, 'a'), () => setImmediate(more)));
    more();
  });
  const response = await fetch(url);
  await cut;
  await expect(response.text()).rejects.toThrow();
});
