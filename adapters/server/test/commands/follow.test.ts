import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { eventData } from '../../src/commands/event-data.ts';
import { follow } from '../../src/commands/follow.ts';
import { openRemoteStage } from '../../src/commands/play.ts';
import { runProgram } from '../../src/commands/program.ts';
import { createInput } from '../../src/commands/secret-input.ts';
import { runCommand } from './run-command.ts';
import { ADMIN_TOKEN, openServerWorld } from './server-world.ts';

const REQUEST = { method: 'GET', path: '/admin/v1/activity', body: undefined };

function streams() {
  return { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
}

/** Reads lines one by one. */
function linesOf(stream: PassThrough) {
  let rest = '';
  return async (): Promise<string> => {
    for (;;) {
      const end = rest.indexOf('\n');
      if (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return line;
      }
      const chunk: Buffer | null = stream.read();
      if (chunk === null) await once(stream, 'readable');
      else rest += chunk.toString();
    }
  };
}

/** A server whose answers a test writes. */
async function openServer(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const stageAt = (url: string) => {
  const io = streams();
  return openRemoteStage(url, {}, { KALENDS_ADMIN_TOKEN: ADMIN_TOKEN }, createInput(io));
};

it('prints one line of JSON for each activity of a server, until its output is closed', async () => {
  const world = await openServerWorld('remote');
  const io = streams();
  const { id: app } = JSON.parse((await world.run(['app', 'create', '--name', 'Shop', '--json'])).stdout);
  const url = ['--url', world.url, '--app', app, '--types', 'audit.written', '--token-stdin'];
  io.stdin.end(ADMIN_TOKEN);
  const running = runProgram(['activity', ...url], io);
  const next = linesOf(io.stdout);
  const first = next();
  // The command may not listen yet: rename until it has heard of one.
  let heard = false;
  void first.then(() => {
    heard = true;
  });
  for (let number = 1; !heard; number += 1) {
    await fetch(`${world.url}/admin/v1/applications/${app}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Shop ${number}` }),
    });
  }
  const activity = { type: 'audit.written', applicationId: app, action: 'application.updated', target: app };
  expect(JSON.parse(await first)).toMatchObject(activity);
  io.stdout.destroy();
  expect(await running).toBe(0);
});

it('says that it shows a server, where none is named', async () => {
  const world = await openServerWorld('local');
  const { code, stdout, stderr } = await world.run(['activity']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/shows what a running server does: give --url, or set KALENDS_ADMIN_URL\n/);
});

it('has no flag of a database in its help', async () => {
  const { stdout } = await runCommand(['help', 'activity']);
  expect(stdout).toContain('Where it runs: on a server:');
  expect(stdout).toContain('--url URL');
  expect(stdout).not.toContain('--database');
});

it('prints the rule that a filter breaks, by its flag', async () => {
  const world = await openServerWorld('remote');
  const { code, stderr } = await world.run(['activity', '--types', 'pulls']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^kalends: --types must be types separated by commas, of /),
  ]);
});

it('connects again when the server ends the stream, and fails when nothing answers for long', async () => {
  let connections = 0;
  const url = await openServer((response) => {
    connections += 1;
    if (connections >= 3) return void response.socket?.destroy();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // The second connection breaks off in the middle of an event.
    response.write(`retry: 2000\n\n: heartbeat\n\nid: 1\nevent: a\ndata: {"n":${connections}}\n\nid: 2\ndata: {"n":`);
    response.end();
  });
  const io = streams();
  const stage = await stageAt(url);
  await expect(follow(stage, REQUEST, io, 1)).rejects.toMatchObject({ code: 'Unreachable', exitCode: 1 });
  io.stdout.end();
  io.stderr.end();
  expect(await text(io.stdout)).toBe('{"n":1}\n{"n":2}\n');
  const again = 'The server has ended the stream; connecting again.\n'.repeat(2);
  expect(await text(io.stderr)).toBe(`${again}The server does not answer; trying again.\n`);
  expect(connections).toBe(2 + 31);
});

it('goes on with a server that is started again', async () => {
  let connections = 0;
  const url = await openServer((response) => {
    connections += 1;
    if (connections > 1 && connections < 5) return void response.socket?.destroy();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: {"n":${connections}}\n\n`);
  });
  const io = streams();
  const running = follow(await stageAt(url), REQUEST, io, 1);
  const next = linesOf(io.stdout);
  expect([await next(), await next()]).toEqual(['{"n":1}', '{"n":5}']);
  io.stdout.destroy();
  expect(await running).toBeUndefined();
});

it('fails at once when nothing answers at first', async () => {
  let connections = 0;
  const url = await openServer((response) => {
    connections += 1;
    response.socket?.destroy();
  });
  await expect(follow(await stageAt(url), REQUEST, streams(), 1)).rejects.toMatchObject({ code: 'Unreachable' });
  expect(connections).toBe(1);
});

it('doubts an answer that is no stream', async () => {
  const url = await openServer((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'));
  await expect(follow(await stageAt(url), REQUEST, streams(), 1)).rejects.toThrow(
    /is not the administration of kalends/,
  );
});

it('reads events however they are cut, with several lines of data, and no comment', async () => {
  const wire = ': hello\n\ndata: {"a":\ndata: 1}\n\nevent: x\nid: 7\n\ndata: "ü"\n\n';
  const bytes = new TextEncoder().encode(wire);
  for (let size = 1; size <= bytes.length; size += 1) {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < bytes.length; at += size) parts.push(bytes.slice(at, at + size));
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    const data: string[] = [];
    for await (const each of eventData(body)) data.push(each);
    expect(data).toEqual(['{"a":\n1}', '"ü"']);
  }
});
