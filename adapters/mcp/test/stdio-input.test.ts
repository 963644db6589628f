import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { systemClock } from 'kalends/runtime';
import { expect, it } from 'vitest';
import { createStdioInput } from '../src/stdio-input.ts';

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
const answer = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

/** An input whose reader takes each chunk for the number of a request. */
function served(clock = systemClock) {
  const source = new PassThrough();
  const input = createStdioInput(source, { drainMs: 60_000, clock });
  const read: string[] = [];
  const transport = { onmessage() {}, send: async () => undefined } as unknown as Transport;
  input.watch(transport);
  input.stream.on('data', (chunk) => {
    read.push(String(chunk));
    transport.onmessage?.(request(Number(chunk)));
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) =>
    input.stream.on('end', () => {
      hasEnded = true;
      resolve();
    }),
  );
  return { source, transport, read, ended, hasEnded: () => hasEnded };
}

it('standard input ends for its reader when all requests are answered or cancelled', async () => {
  const { source, transport, read, ended, hasEnded } = served();
  source.write('1');
  await setImmediate();
  source.write('2');
  await setImmediate();
  source.end('3');
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(read).toEqual(['1', '2', '3']);
  await transport.send(answer(1));
  await transport.send(answer(3));
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(hasEnded()).toBe(false);
  transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await ended;
});

it('standard input ends at once without requests, and without an answer when the time is over', async () => {
  const idle = served();
  idle.source.end();
  await idle.ended;
  const slept: number[] = [];
  const late = served({ ...systemClock, sleep: async (ms) => void slept.push(ms) });
  late.source.end('1');
  await late.ended;
  expect(slept).toEqual([60_000]);
});

it('a closed input reads no more of its source', async () => {
  const source = new PassThrough();
  const input = createStdioInput(source, { drainMs: 60_000, clock: systemClock });
  // So the transport ends itself in the middle of a message that is too long.
  input.stream.on('data', (chunk) => {
    if (String(chunk) !== '2') return;
    input.stream.pause();
    input.close();
  });
  for (const chunk of ['1', '2', '3']) {
    source.write(chunk);
    await setImmediate();
  }
  expect(source.isPaused()).toBe(true);
});

it('standard input ends without waiting for subscriptions, which have no answer', async () => {
  const { source, transport, ended } = served();
  source.write('1');
  await setImmediate();
  transport.onmessage?.({ jsonrpc: '2.0', id: 'listens', method: 'subscriptions/listen', params: {} });
  await transport.send(answer(1));
  source.end();
  await ended;
});
