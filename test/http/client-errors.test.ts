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

it.each([
  ['GET', ''],
  ['POST', '{"name":"x"}'],
])('answers a %s with an expectation that it does not know with a problem document, and goes on', async (method, body) => {
  const seen: (string | undefined)[] = [];
  const logged: unknown[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming.url);
    outgoing.end('ok');
  });
  const note = (_: string, fields?: object) => void logged.push(fields);
  answerClientErrors(server, { logger: { debug: note, info: note, warn: note, error: note } });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${method} /one HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  socket.end('GET /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const answered = await text(socket);
  expect(answered).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/);
  const [, requestId] = /\r\nx-request-id: (req_\w+)\r\n/i.exec(answered) ?? [];
  expect(answered).toContain('content-type: application/problem+json');
  const [problem = ''] = /\{.*?\}(?=HTTP)/.exec(answered) ?? [];
  expect(JSON.parse(problem)).toMatchObject({
    code: 'InvalidRequest',
    status: 417,
    details: [{ path: 'Expect', message: 'must be 100-continue' }],
    requestId,
  });
  expect(answered).toMatch(/HTTP\/1\.1 200 OK\r\n/);
  expect(seen).toEqual(['/two']);
  expect(logged).toEqual([expect.objectContaining({ requestId, status: 417 })]);
});
