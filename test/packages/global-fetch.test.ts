import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild-wasm';
import { expect, it, onTestFinished } from 'vitest';

/*
 * undici sets the process's dispatcher where there is none, which Node's own `fetch` takes too: a program that embeds the engine
 * would send its requests through our version of undici.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOOK = fileURLToPath(new URL('../webhooks/processes/typescript-hook.js', import.meta.url));

/** Entries that load undici. */
const ENTRIES = ['kalends', 'kalends/guarded-fetch'];

/** Prints whether the dispatcher is of our undici, before and after the program's first request, and after a set one. */
const program = (entry: string) => `
  import { createServer } from 'node:http';
  await import(${JSON.stringify(entry)});
  const { Agent, setGlobalDispatcher } = await import('undici/index.js');
  const dispatcher = () => globalThis[Symbol.for('undici.globalDispatcher.1')];
  const answers = [dispatcher() instanceof Agent];
  const server = createServer((_, response) => response.end('answer'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const get = async () => (await fetch('http://127.0.0.1:' + server.address().port)).text();
  answers.push(await get(), dispatcher() instanceof Agent);
  const own = new Agent();
  setGlobalDispatcher(own);
  answers.push(await get(), dispatcher() === own);
  server.close();
  server.closeAllConnections();
  await own.close();
  console.log(JSON.stringify(answers));
`;

const EXPECTED = JSON.stringify([false, 'answer', false, 'answer', true]);

function run(args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...args], { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trim();
}

it.each(ENTRIES)("a program that imports %s keeps Node's own fetch, and its own dispatcher", {
  timeout: 60_000,
}, (entry) => {
  const flags = ['--conditions=kalends-source', '--import', HOOK, '--input-type=module'];
  expect(run([...flags, '--eval', program(entry)])).toBe(EXPECTED);
});

it('a bundled program does too', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(`${ROOT}node_modules/.global-fetch-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(`${folder}/entry.js`, program('kalends'));
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`${folder}/entry.js`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    minify: true,
    conditions: ['kalends-source'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  writeFileSync(`${folder}/program.mjs`, outputFiles[0]?.text ?? '');
  expect(run([pathToFileURL(`${folder}/program.mjs`).pathname])).toBe(EXPECTED);
});
