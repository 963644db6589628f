import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { close, listen, onFreePort } from '../src/dev/listening.ts';

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

it('names the setting of a host that is not of this machine', async () => {
  const listening = onFreePort(() => listen(createServer(), 0, '203.0.113.7'), 0, '--port');
  const message = expect.stringMatching(
    /^KALENDS_HOST \(--host\) must be an address of this machine: .*203\.0\.113\.7$/,
  );
  await expect(listening).rejects.toMatchObject({ name: 'CommandError', message });
});

it.each([
  ['ENOTFOUND', 'KALENDS_HOST (--host) must be an address of this machine'],
  ['EACCES', 'this user may not listen on port 80; choose another with --port N'],
  ['EADDRINUSE', 'port 80 is taken; choose another with --port N'],
  ['EMFILE', 'no files left'],
])('tells why it cannot listen after %s', async (code, message) => {
  const refused = onFreePort(() => Promise.reject(Object.assign(new Error('no files left'), { code })), 80, '--port');
  await expect(refused).rejects.toThrow(message);
});
