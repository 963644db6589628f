import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild-wasm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { runCommand, timed } from './run-command.ts';

/*
 * The public entries from packed packages: their types with old and new compilers, and their code in the runtimes that
 * docs/embedding.md names under "Where it runs".
 */
const SOURCE = fileURLToPath(new URL('runtimes', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kalends-runtimes-'));

const RUNTIMES: readonly (readonly [string, readonly [string, ...string[]]])[] = [
  ['Node', ['node']],
  ['Bun', ['node_modules/.bin/bun']],
  ['Deno', ['node_modules/.bin/deno', 'run', '--allow-all']],
];

beforeAll(async () => {
  cpSync(SOURCE, folder, { recursive: true });
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const files = Object.entries(inject('tarballs')).map(([name, file]) => [name, `file:${file}`]);
  const dependencies = { ...manifest.dependencies, ...Object.fromEntries(files) };
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies }));
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock'];
  await timed('runtimes: install', () => runCommand(folder, 'npm', ...install));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('types of every entry, in strict mode', () => {
  /** The types of `pg`, which these entries need, ask for TypeScript 5.7 unless libraries are not checked. */
  const needsNewTypes = (entry: string) => /^@kalends\/(?:postgres|server)/.test(entry);

  function writeProject(name: string, module: string, entries: readonly string[]): string {
    const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
    const text = `${imports.join('\n')}\nexport const all = [${entries.map((_, index) => `entry${index}`)}];\n`;
    writeFileSync(join(folder, `${name}.ts`), text);
    const compilerOptions = {
      module,
      moduleResolution: module === 'nodenext' ? 'nodenext' : 'bundler',
      target: 'es2022',
      types: ['node'],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    };
    const project = `tsconfig.${name}.json`;
    writeFileSync(join(folder, project), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
    return project;
  }

  it.each([
    ['5.4', 'nodenext'],
    ['5.9', 'nodenext'],
    ['6', 'nodenext'],
    ['6', 'esnext'],
    ['7', 'nodenext'],
    ['7', 'esnext'],
  ])('TypeScript %s, modules of %s', async (version, module) => {
    const isOld = version === '5.4';
    const checked = inject('entries').filter((entry) => !(isOld && needsNewTypes(entry)));
    const tsc = (...args: readonly string[]) =>
      runCommand(folder, 'node', `node_modules/typescript-${version}/bin/tsc`, ...args);
    await tsc('-p', writeProject(`entries-${version}-${module}`, module, checked));
    if (!isOld) return;
    await tsc('-p', writeProject('entries-unchecked', module, inject('entries')), '--skipLibCheck');
  });
});

describe('the entries that run everywhere', () => {
  const expected = {
    starts: [
      '2026-03-02T09:00:00-05:00',
      '2026-03-04T09:00:00-05:00',
      '2026-03-09T09:00:00-04:00',
      '2026-03-11T09:00:00-04:00',
    ],
    words: 'every week on Monday and Wednesday, 4 times',
    pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday', 'wednesday'], firstDayOfWeek: 'monday' },
    busy: [{ startMs: Date.parse('2026-03-02T14:00:00Z'), endMs: Date.parse('2026-03-02T15:00:00Z') }],
    available: ['07:00', '08:00', '10:00', '11:00'].map((clock) => `2026-03-02T${clock}:00-05:00`),
    zone: 'America/New_York',
    client: {
      ids: ['acc_1'],
      requests: ['GET https://calendar.example.com/api/v1/endUserAccounts?statusFilter=active kal_live_key'],
    },
    webhook: 'msg_1',
  };

  it.each<[string, readonly [string, ...string[]]]>([
    ['Node', ['node']],
    ['Bun', ['node_modules/.bin/bun']],
    // Without permissions: they read no file, no variable and no network.
    ['Deno', ['node_modules/.bin/deno', 'run', '--no-prompt']],
  ])('%s', async (_name, [command, ...args]) => {
    expect(JSON.parse(await runCommand(folder, command, ...args, 'print-pure-entries.js'))).toEqual(expected);
  });

  it('workerd, the runtime of Cloudflare Workers, without compatibility flags', async () => {
    await build({
      absWorkingDir: folder,
      entryPoints: ['worker.js'],
      outfile: 'bundle.js',
      bundle: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'silent',
    });
    expect(JSON.parse(await runCommand(folder, 'node', 'run-worker.js', 'bundle.js'))).toEqual(expected);
  });
});

describe('an engine with a mailbox, a series and a webhook', () => {
  const cases = RUNTIMES.flatMap(([runtime, command]) => STORAGES.map((storage) => ({ runtime, storage, command })));
  it.each(cases)('in $runtime on $storage', async ({ storage, command: [command, ...args] }) => {
    const database = await newDatabase(storage);
    expect(JSON.parse(await runCommand(folder, command, ...args, 'print-engine.js', database))).toEqual({
      occurrences: ['02', '03', '04'].map((day) => `Standup 2026-03-${day}T09:00:00+01:00`),
      message: 'calendar.event.changed',
    });
  });
});
