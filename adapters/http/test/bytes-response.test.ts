import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { bytesOf, bytesResponse } from '../src/bytes-response.ts';
import { nodeListener } from '../src/node.ts';

const BYTES = new TextEncoder().encode(JSON.stringify({ title: 'Über '.repeat(50_000) }));
const HEADERS = { 'content-type': 'application/json', 'x-kalends-synced-at': 'now' };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(handler: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = createServer(nodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('is an ordinary response to whoever reads it', async () => {
  const response = bytesResponse(BYTES, HEADERS);
  expect(response.status).toBe(200);
  expect(new Uint8Array(await response.clone().arrayBuffer())).toEqual(BYTES);
  expect(await response.json()).toEqual(JSON.parse(new TextDecoder().decode(BYTES)));
});

test('gives its bytes until it has been read', async () => {
  const response = bytesResponse(BYTES, HEADERS);
  expect(bytesOf(response)).toBe(BYTES);
  await response.text();
  expect(bytesOf(response)).toBeUndefined();
  expect(bytesOf(new Response('text'))).toBeUndefined();
});

test('goes over a socket as any other response does', async () => {
  const other = await serve(() => new Response(BYTES, { headers: HEADERS }));
  const url = await serve(async () => {
    const response = bytesResponse(BYTES, HEADERS);
    response.headers.set('x-request-id', 'req_1');
    return response;
  });
  const answers = await Promise.all([fetch(url), fetch(other)]);
  const [sent, expected] = await Promise.all(answers.map(async (answer) => new Uint8Array(await answer.arrayBuffer())));
  expect(sent).toEqual(expected);
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-kalends-synced-at')).toBe('now');
  }
  expect(answers[0]?.headers.get('x-request-id')).toBe('req_1');
  expect(answers[0]?.headers.get('content-length')).toBe(String(BYTES.byteLength));
});

test('survives a client that leaves before it is answered', async () => {
  let arrived = () => {};
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let answer = () => {};
  const released = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const url = await serve(async ({ url: path }) => {
    if (path.endsWith('/slow')) {
      arrived();
      await released;
    }
    return bytesResponse(BYTES, HEADERS);
  });
  const leaving = new AbortController();
  const gone = fetch(`${url}slow`, { signal: leaving.signal });
  await asked;
  leaving.abort();
  await expect(gone).rejects.toThrow();
  answer();
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(BYTES.byteLength);
});
