import { expect, it } from 'vitest';
import { impureUses } from './impure-uses.js';

const uses = (text: string): string[] => impureUses(text).map(({ use }) => use);

it.each([
  ['Date.now()', 'Date.now'],
  ['const now = options.now ?? Date.now;', 'Date.now'],
  ['new Date()', 'the current Date'],
  ['Date()', 'the current Date'],
  ['performance.now()', 'performance'],
  ['globalThis.performance.now()', 'performance'],
  ["import { performance } from 'node:perf_hooks';", 'import of node:perf_hooks'],
  ['process.hrtime.bigint()', 'process.hrtime'],
  ['process.uptime()', 'process.uptime'],
  ['Math.random()', 'Math.random'],
  ['crypto.randomUUID()', 'crypto.randomUUID'],
  ['globalThis.crypto.getRandomValues(bytes)', 'crypto.getRandomValues'],
  ["import { createHash, randomBytes as bytes } from 'node:crypto';", 'import of randomBytes from node:crypto'],
  ['setTimeout(work, 10)', 'setTimeout'],
  ['globalThis.setTimeout(work, 10)', 'setTimeout'],
  ['const later = setTimeout;', 'setTimeout'],
  ['run({ setTimeout })', 'setTimeout'],
  ['setInterval(work, 10)', 'setInterval'],
  ['setImmediate(work)', 'setImmediate'],
  ['queueMicrotask(work)', 'queueMicrotask'],
  ['process.nextTick(work)', 'process.nextTick'],
  ["import { setImmediate as nextTurn } from 'node:timers/promises';", 'import of node:timers/promises'],
  ["import timers from 'timers';", 'import of timers'],
  ['AbortSignal.timeout(1_000)', 'AbortSignal.timeout'],
  ['Atomics.wait(cells, 0, 0, 10)', 'Atomics.wait'],
  ['process.env.SECRET', 'process.env'],
  ["process.env['SECRET']", 'process.env'],
  ["import { env } from 'node:process';", 'import of env from node:process'],
])('finds %s', (text, use) => {
  expect(uses(text)).toEqual([use]);
});

it.each([
  'new Date(ms)',
  'Date.UTC(2026, 0, 1)',
  'Date.parse(text)',
  '// Date.now() belongs to the clock',
  '/** @default Date.now */ const one = 1;',
  "const text = 'setTimeout(work)';",
  'clock.now(); clock.sleep(10); time.setTimeout(work); random.random();',
  'interface Timers { setTimeout(work: () => void): void }',
  'type Handle = ReturnType<typeof setTimeout>;',
  'const timers = { setTimeout: clock.sleep };',
  "import { createHash, timingSafeEqual } from 'node:crypto';",
  'AbortSignal.any(signals); AbortSignal.abort();',
  'clearTimeout(handle);',
])('accepts %s', (text) => {
  expect(uses(text)).toEqual([]);
});

it('tells the line of each use', () => {
  expect(impureUses('const at = clock.now();\nconst id = Math.random();\n\nsetImmediate(work);\n')).toEqual([
    { line: 2, use: 'Math.random' },
    { line: 4, use: 'setImmediate' },
  ]);
});
