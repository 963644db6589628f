import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createHandler, type Handler } from '@kalends/http';
import { expressMiddleware } from '@kalends/http/express';
import { nodeListener } from '@kalends/http/node';
import express5 from 'express';
import express4 from 'express4';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connected, eventsPath } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';

/* Middleware of a host may read the body of a request before the handler gets it, and leaves the handler none. */
let world: World;
let account: Connected;
beforeAll(async () => {
  world = await createWorld();
  account = await world.connect('microsoft');
});
afterAll(() => world.close());

it.each<[string, string, () => string, string]>([
  ['JSON', 'application/json', () => eventsPath(account), '{"title":"Tea"}'],
  [
    'a file',
    'text/calendar',
    () => `/v1/calendars/${account.accountId}/${encodeURIComponent(account.calendarId)}/imports`,
    'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
  ],
  ['a notification', 'application/json', () => '/v1/push/provider_b', '{"value":[]}'],
])('%s that the host has read is a fault that the log names', async (_kind, type, path, body) => {
  const errors: unknown[] = [];
  const note = () => undefined;
  const error = (_message: string, fields?: Readonly<Record<string, unknown>>) => errors.push(fields?.['error']);
  const handler = createHandler(world.engine, { logger: { debug: note, info: note, warn: note, error } });
  const headers = { 'x-api-key': world.apiKey, 'content-type': type };
  const create = () => new Request(`https://kalends.test${path()}`, { method: 'POST', headers, body });
  const request = create();
  await request.text();
  expect((await handler(request)).status).toBe(500);
  expect(errors).toEqual([expect.stringContaining('the host has read the body: call the handler before that')]);
  // A new request with the body is as good as one that was never read.
  expect((await handler(new Request(request, { body }))).status).toBe((await handler(create())).status);
});

/** Reads a body to its end and keeps nothing of it, as middleware that is no parser does. */
const drain = (request: IncomingMessage, _response: unknown, next: () => void) => {
  request.resume().once('end', next);
};

it.each<[string, (handler: Handler) => RequestListener]>([
  ['Express 4', (handler) => express4().use(drain, expressMiddleware(handler))],
  ['Express 5', (handler) => express5().use(drain, expressMiddleware(handler))],
  [
    'node:http',
    (handler) => {
      const listener = nodeListener(handler);
      return (request, response) => drain(request, response, () => void listener(request, response));
    },
  ],
])('%s: a body that middleware has read is a fault that the log names', async (_mount, mounted) => {
  const errors: unknown[] = [];
  const note = () => undefined;
  const error = (_message: string, fields?: Readonly<Record<string, unknown>>) => errors.push(fields?.['error']);
  const handler = createHandler(world.engine, { logger: { debug: note, info: note, warn: note, error } });
  const server = createServer(mounted(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = async (method: string, path: string, body?: string | ReadableStream) => {
    const headers = { 'x-api-key': world.apiKey, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' }) } as RequestInit;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    await response.arrayBuffer();
    return response.status;
  };
  try {
    const read = expect.stringContaining('the host has read the body: call the handler before that');
    const text = JSON.stringify({ title: 'Tea' });
    expect(await send('POST', eventsPath(account), text)).toBe(500);
    expect(errors).toEqual([read]);
    // A stream is sent in chunks, without its length.
    expect(await send('POST', eventsPath(account), new Blob([text]).stream())).toBe(500);
    expect(errors).toEqual([read, read]);
    // Where there was none, the fault is the caller's.
    expect(await send('POST', eventsPath(account))).toBe(400);
    expect(await send('GET', '/v1/endUserAccounts')).toBe(200);
    expect(errors).toHaveLength(2);
  } finally {
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
  }
});

it('node:http2: a body that the host has read is told from none', async () => {
  const listener = nodeListener(createHandler(world.engine));
  const server = createHttp2Server((request, response) => {
    request.resume().once('end', () => void listener(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const send = async (body: string) => {
    const headers = { ':method': 'POST', ':path': eventsPath(account), 'x-api-key': world.apiKey };
    const request = client.request({ ...headers, 'content-type': 'application/json' }, { endStream: body === '' });
    if (body !== '') request.end(body);
    const [answer] = (await once(request, 'response')) as [{ readonly ':status'?: number }];
    request.resume();
    return answer[':status'];
  };
  try {
    expect(await send('{"title":"Tea"}')).toBe(500);
    expect(await send('')).toBe(400);
  } finally {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});
