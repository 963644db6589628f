import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerClientErrors } from '@kalends/http/node';
import { expect, it, onTestFinished, vi } from 'vitest';

it('answers what is not HTTP where its logger fails', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const fail = () => {
    throw new Error('the pipe is broken');
  };
  const server = createServer();
  answerClientErrors(server, { logger: { debug: fail, info: fail, warn: fail, error: fail } });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end('nonsense\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  expect(warned).toHaveBeenCalledOnce();
});
