import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { close, listen } from '../src/dev/listening.ts';

it('closes although a client holds a connection on which it sends nothing', async () => {
  const server = createServer((_request, response) => response.end('hello'));
  const socket = connect(await listen(server, 0), '127.0.0.1');
  await new Promise((resolve) => server.once('connection', resolve));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => socket.destroy());
  await close(server, 10);
  await ended;
  expect(server.listening).toBe(false);
});
