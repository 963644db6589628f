import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClientError, createClient, InvalidAnswerError, memoryStore } from '@kalends/client';
import { describe, expect, it, onTestFinished } from 'vitest';

const EVENT = { title: 'T', start: { dateTime: '2026-03-02T09:00:00Z' } };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client whose service gives one answer to each request, and the number of requests. */
function clientOf(answer: () => Response) {
  const asked: string[] = [];
  const client = createClient({
    baseUrl: 'http://service.test',
    apiKey: 'k',
    fetch: async (url) => {
      asked.push(url);
      return answer();
    },
  });
  return { client, asked };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => error,
  );

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('of status %i is not followed', async (status) => {
    const [elsewhere, asked]: [string[], string[]] = [[], []];
    const target = await serve((request, response) => {
      elsewhere.push(`${request.method} ${request.headers['x-api-key']}`);
      response.setHeader('content-type', 'application/json').end('{"id":"other","data":[],"nextSyncToken":"t"}');
    });
    const front = await serve((request, response) => {
      asked.push(`${request.method}`);
      response.writeHead(status, { location: `${target}${request.url}`, 'x-request-id': 'req_1' }).end();
    });
    const client = createClient({ baseUrl: `${front}/api`, apiKey: 'secret' });
    const calls: [() => Promise<unknown>, string][] = [
      [() => client.events.create('a', 'c', EVENT), '/api/v1/events/a/c'],
      [() => client.accounts.get('a'), '/api/v1/endUserAccounts/a'],
    ];
    for (const [call, path] of calls) {
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(InvalidAnswerError);
      expect(error).toMatchObject({
        status,
        requestId: 'req_1',
        message: `The answer (${status}) redirects to ${target}${path}: correct baseUrl, redirects are not followed.`,
        request: { attempts: 1 },
      });
    }
    expect([asked, elsewhere]).toEqual([['POST', 'GET'], []]);
  });

  it('is told where the platform hides it', async () => {
    const hidden = { type: 'opaqueredirect', ok: false, status: 0, headers: new Headers(), text: async () => '' };
    const { client, asked } = clientOf(() => hidden as Response);
    const error = await failureOf(client.accounts.get('a'));
    expect(error).toBeInstanceOf(InvalidAnswerError);
    expect(error).toMatchObject({
      status: 0,
      message: 'The answer (0) redirects to another address: correct baseUrl, redirects are not followed.',
    });
    expect(asked).toHaveLength(1);
  });

  it('leaves a 304 as it is', async () => {
    const { client } = clientOf(() => new Response(null, { status: 304, headers: { location: '/v1/other' } }));
    expect(await client.events.getIfChanged('a', 'c', 'e', '"1"')).toBeUndefined();
  });
});

describe('a success', () => {
  it.each(['null', 'true', '7', '"done"'])('with the body %s is no answer', async (body) => {
    const { client, asked } = clientOf(() => new Response(body));
    const error = await failureOf(client.accounts.get('a'));
    expect(error).toBeInstanceOf(InvalidAnswerError);
    expect(error).toMatchObject({ status: 200, message: expect.stringContaining('baseUrl') });
    expect(asked).toHaveLength(1);
  });

  it.each([
    [{}],
    [[]],
    [{ data: {}, nextSyncToken: 't' }],
    [{ data: [null], nextSyncToken: 't' }],
    [{ data: ['e'], nextSyncToken: 't' }],
  ])('of a list that is %j is no page of it', async (body) => {
    const { client } = clientOf(() => Response.json(body, { headers: { 'x-request-id': 'req_2' } }));
    const calls = [
      () => client.events.sync('a', 'c'),
      () => client.events.syncInto(memoryStore(), 'a', 'c'),
      () => client.events.list('a', 'c').page(),
      () => client.accounts.list()[Symbol.asyncIterator]().next(),
    ];
    for (const call of calls) {
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(InvalidAnswerError);
      expect(error).toMatchObject({ status: 200, requestId: 'req_2' });
    }
  });

  it.each([
    {},
    { nextSyncToken: null },
    { nextPageToken: '' },
    { nextSyncToken: 7 },
  ])('of a sync whose page leads to no other one is none: %j', async (tokens) => {
    const { client } = clientOf(() => Response.json({ data: [{ id: 'e' }], ...tokens }));
    for (const call of [client.events.sync('a', 'c'), client.calendars.syncInto(memoryStore(), 'a')]) {
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(ClientError);
      expect(error).toMatchObject({ name: 'InvalidAnswerError', status: 200 });
    }
  });
});
