import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../src/command.ts';

let folder: string;
const printed: string[] = [];
const run = (...args: string[]) => runCommand(args, (line) => printed.push(line));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  printed.length = 0;
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('starts with the demo and imported files, and goes on from its state file', async () => {
  const ics = join(folder, 'trips.ics');
  writeFileSync(
    ics,
    'BEGIN:VCALENDAR\nX-WR-CALNAME:Trips\nBEGIN:VEVENT\nDTSTART:20260301T090000Z\nEND:VEVENT\nEND:VCALENDAR',
  );
  const first = await run('--state', join(folder, 'state.json'), '--ics', ics);
  expect((await fetch(`${first?.url}/_sandbox/state`)).status).toBe(200);
  expect(printed).toContain(`imported      ${ics}: Trips, 1 events`);
  expect(printed.join('\n')).toContain(`${first?.url}/google/calendar/v3  ada@gmail.example`);
  await first?.sandbox.close();
  const second = await run('--state', join(folder, 'state.json'), '--empty');
  expect(second?.sandbox.google.mailboxes()).toContain('ada@gmail.example');
  await second?.sandbox.close();
});

test('starts empty, helps, and refuses what it cannot use', async () => {
  const empty = await run('--empty');
  expect(empty?.sandbox.google.mailboxes()).toEqual([]);
  await empty?.sandbox.close();
  expect(await run('--help')).toBeUndefined();
  expect(printed.at(-1)).toContain('--port');
  await expect(run('--port', 'many')).rejects.toThrow('--port');
  await expect(run('--seed', '-1')).rejects.toThrow();
  await expect(run('--fly')).rejects.toThrow('--fly');
  await expect(run('--ics', join(folder, 'none.ics'))).rejects.toThrow('ENOENT');
});

test('a port that is taken is an error', async () => {
  const first = await run('--empty');
  const port = new URL(first?.url ?? '').port;
  await expect(run('--empty', '--port', port)).rejects.toThrow('EADDRINUSE');
  await first?.sandbox.close();
});
