import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

/*
 * The package is compiled together with the modules of the repository that it uses. Whether that is all it needs shows only where
 * there is nothing else: packed, and installed without a network in an empty folder.
 */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const own = join(root, 'adapters/recurrence');
const folder = mkdtempSync(join(tmpdir(), 'kalends-recurrence-'));
const app = join(folder, 'app');
const installed = join(app, 'node_modules/@kalends/recurrence');

beforeAll(async () => {
  await run('npx', ['tsc', '-p', own], { cwd: root });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, own], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: app });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const QUESTION = `
const standup = parseRecurrence('DTSTART;TZID=America/New_York:20260105T090000 RRULE:FREQ=WEEKLY;BYDAY=MO');
console.log(standup.as('iso').between('2026-03-02', '2026-03-10').join());`;
const ANSWER = '2026-03-02T09:00:00-05:00,2026-03-09T09:00:00-04:00\n';

it('brings nothing else along', () => {
  expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@kalends']);
  expect(readdirSync(join(app, 'node_modules/@kalends'))).toEqual(['recurrence']);
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
});

it.each([
  ['import', `import { parseRecurrence } from '@kalends/recurrence';${QUESTION}`, 'module'],
  ['require', `const { parseRecurrence } = require('@kalends/recurrence');${QUESTION}`, 'commonjs'],
])('answers after %s', async (_name, code, type) => {
  const { stdout } = await run('node', [`--input-type=${type}`, '--eval', code], { cwd: app });
  expect(stdout).toBe(ANSWER);
});

it('has every entry', async () => {
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'));
  expect(entries).toEqual(['.', './series', './zones', './free-busy', './describe']);
  for (const entry of entries) {
    const code = `console.log(Object.keys(await import('@kalends/recurrence${entry.slice(1)}')).length > 0)`;
    const { stdout } = await run('node', ['--input-type=module', '--eval', code], { cwd: app });
    expect(stdout).toBe('true\n');
  }
});

it('has types that stand alone, without those of Node and with checked libraries', async () => {
  const code = `import { parseRecurrence, recurrence, fromRRule, type Recurrence } from '@kalends/recurrence';
import { compileSeries } from '@kalends/recurrence/series';
import { busySlots } from '@kalends/recurrence/free-busy';
import { createZones } from '@kalends/recurrence/zones';
import { describeRecurrence } from '@kalends/recurrence/describe';
const daily: Recurrence<string> = recurrence({ start: '2026-01-05', rule: { freq: 'daily', byDay: ['MO', '2TU'] } }).as('iso');
const dates: Date[] = parseRecurrence('FREQ=DAILY', { start: '2026-01-05' }).all(2);
// @ts-expect-error: a part that no rule has
recurrence({ start: '2026-01-05', rule: { freq: 'daily', byweekday: 'MO' } });
export { busySlots, compileSeries, createZones, daily, dates, describeRecurrence, fromRRule };
`;
  writeFileSync(join(app, 'use.mts'), code);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: false,
    types: [],
    module: 'nodenext',
    lib: ['es2023'],
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['use.mts'] }));
  const compile = run('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', app]);
  const { stdout } = await compile.catch((error: { readonly stdout: string }) => error);
  expect(stdout).toBe('');
});
