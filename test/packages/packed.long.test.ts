import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kalends-packed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
}

it('packs every package; an empty folder can install them, without the sandbox too, and import every export in plain node', {
  timeout: 300_000,
}, async () => {
  await run('npm', ['run', 'build'], { cwd: root });
  const packages = [root, ...readdirSync(join(root, 'adapters')).map((name) => join(root, 'adapters', name))];
  const manifests = packages.map((path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest);
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...packages],
    { cwd: root },
  );
  const tarballs = (JSON.parse(stdout) as { readonly filename: string }[]).map(({ filename }) =>
    join(folder, filename),
  );
  expect(tarballs).toHaveLength(packages.length);

  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  const install = (archives: readonly string[]) =>
    run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...archives], { cwd: app });
  const kalends = (...args: readonly string[]) => run('npx', ['--no-install', 'kalends', ...args], { cwd: app });

  const isOptional = (archive: string) => /kalends-(?:sandbox|mcp)-/.test(archive);
  await install(tarballs.filter((archive) => !isOptional(archive)));
  await run('node', ['--input-type=module', '--eval', "await import('@kalends/server')"], { cwd: app });
  expect((await kalends('help')).stdout).toContain('kalends dev');
  await expect(kalends('dev')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /"kalends dev" needs @kalends\/sandbox[\s\S]*npm install @kalends\/sandbox@\d+\.\d+\.\d+/,
    ),
  });
  expect((await kalends('parity', '--help')).stdout).toContain('needs @kalends/sandbox');
  await expect(kalends('parity', '--provider', 'google')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/"kalends parity" needs @kalends\/sandbox[\s\S]*npm install @kalends\/sandbox@\d+/),
  });

  await expect(kalends('mcp')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/"kalends mcp" needs @kalends\/mcp[\s\S]*npm install @kalends\/mcp@\d+/),
  });

  await install(tarballs.filter(isOptional));
  expect((await kalends('parity', '--help')).stdout).toContain('--connect');
  for (const name of ['swagger-ui-dist', '@scarf/scarf']) {
    expect(existsSync(join(app, 'node_modules', name)), `${name} is for our build alone`).toBe(false);
  }
  const page = `import { createDocsPage } from '@kalends/http';
const get = createDocsPage({ path: '/docs', documentUrl: '/openapi.json' });
const name = (await (await get(new Request('http://localhost/docs/swagger-ui-bundle.js'))).text()).match(/see (\\S+LICENSE\\S*)/)[1];
const answer = await get(new Request('http://localhost/docs/' + name));
console.log(answer.status, await answer.text());`;
  const licences = await run('node', ['--input-type=module', '--eval', page], { cwd: app });
  expect(licences.stdout).toMatch(/^200 [\s\S]*Copyright \(c\) 2018 Jed Watson/);
  const entries = manifests.flatMap(({ name, exports }) =>
    Object.keys(exports)
      .filter((entry) => entry !== './package.json')
      .map((entry) => name + entry.slice(1)),
  );
  writeFileSync(
    join(app, 'import-all.js'),
    `for (const entry of ${JSON.stringify(entries)}) {
  const names = Object.keys(await import(entry));
  if (names.length === 0) throw new Error(entry + ' exports nothing');
}
console.log('imported', ${entries.length});
`,
  );
  const imported = await run('node', ['import-all.js'], { cwd: app });
  expect(imported.stdout).toBe(`imported ${entries.length}\n`);
});
