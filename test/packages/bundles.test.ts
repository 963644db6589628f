import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild-wasm';
import { build as buildWithVite, defaultServerConditions } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';

/*
 * Hosts bundle what they import: Next, Vite and esbuild refuse a module whose imports do not exist, and a browser has no
 * `process`. Each public entry is bundled with everything behind it.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Entries that run in a browser, with the bound of their size in bytes after gzip. */
const BROWSER_ENTRIES: Readonly<Record<string, number>> = {
  '@kalends/client': 6_000,
  '@kalends/client/connect': 4_700,
  '@kalends/client/copy': 1_000,
  '@kalends/client/digest': 500,
  '@kalends/client/history': 1_000,
  '@kalends/client/paced': 6_000,
  '@kalends/client/webhooks': 6_000,
  '@kalends/recurrence': 27_000,
  '@kalends/recurrence/series': 20_000,
  '@kalends/recurrence/zones': 20_000,
  '@kalends/recurrence/describe': 20_000,
  '@kalends/recurrence/free-busy': 20_000,
  'kalends/recurrence': 20_000,
  'kalends/describe': 20_000,
  'kalends/zones': 20_000,
  'kalends/free-busy': 20_000,
  'kalends/availability': 11_000,
};

/** Packages with native parts, which every bundler leaves outside. */
const NATIVE = ['@photostructure/sqlite', 'pg-native'];

function publicEntries(): readonly string[] {
  const manifests = ['', ...readdirSync(`${ROOT}adapters`).map((name) => `adapters/${name}/`)];
  return manifests.flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(`${ROOT}${folder}package.json`, 'utf8'));
    return Object.keys(exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => `${name}${entry.slice(1)}`);
  });
}

/** Bundles entries with all that they import, each module read once, and returns the text of each bundle. */
async function bundle(entries: readonly string[], options: BuildOptions): Promise<readonly string[]> {
  const { outputFiles = [], warnings } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry.replaceAll('/', '+'), entry])),
    outdir: 'bundles',
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['kalends-source'],
    logLevel: 'silent',
    ...options,
  });
  expect(warnings.map(({ text }) => text)).toEqual([]);
  return outputFiles.map(({ text }) => text);
}

it('every public entry is bundled for Node', { timeout: 120_000 }, async () => {
  const entries = publicEntries();
  expect(entries).toEqual(
    expect.arrayContaining(['kalends', '@kalends/http/express', ...Object.keys(BROWSER_ENTRIES)]),
  );
  const bundles = await bundle(entries, { platform: 'node', splitting: true, external: NATIVE });
  expect(bundles.length).toBeGreaterThanOrEqual(entries.length);
});

it('every public entry is bundled by Vite for server-side rendering, and the bundles run', {
  timeout: 120_000,
}, async () => {
  const entries = publicEntries();
  // Below the repository, so that what stays outside of the bundles is found in its `node_modules`.
  const outDir = mkdtempSync(`${ROOT}node_modules/.ssr-`);
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }));
  const input = Object.fromEntries(entries.map((entry) => [entry.replaceAll(/\W/g, '-'), entry]));
  const conditions = ['kalends-source', ...defaultServerConditions];
  await buildWithVite({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: NATIVE, resolve: { conditions } },
    build: { ssr: true, outDir, emptyOutDir: true, rolldownOptions: { input, preserveEntrySignatures: 'strict' } },
  });
  for (const [index, name] of Object.keys(input).entries()) {
    const [bundled, source] = await Promise.all([
      import(/* @vite-ignore */ pathToFileURL(`${outDir}/${name}.js`).href),
      import(/* @vite-ignore */ entries[index] ?? ''),
    ]);
    expect([name, Object.keys(bundled).sort()]).toEqual([name, Object.keys(source).sort()]);
  }
  const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(`${outDir}/${name}.js`).href);
  const [{ createEngine }, { sqlite }, { google }, { createHandler }] = await Promise.all(
    ['kalends', '-kalends-sqlite', '-kalends-google', '-kalends-http'].map(load),
  );
  const secret = Buffer.alloc(32, 1).toString('base64');
  const engine = createEngine({ storage: sqlite({ path: ':memory:' }), providers: { GOOGLE: google() }, secret });
  await engine.start();
  const { status } = await createHandler(engine)(new Request('http://host/v1/endUserAccounts'));
  await engine.stop();
  expect(status).toBe(401);
});

describe.each(Object.entries(BROWSER_ENTRIES))('%s', (entry, mostBytes) => {
  it(`is bundled for browsers, below ${mostBytes} bytes`, async () => {
    const [text = ''] = await bundle([entry], { platform: 'browser', minify: true });
    expect(text).not.toBe('');
    const bytes = gzipSync(text).byteLength;
    console.info(`${entry}: ${text.length} bytes, ${bytes} after gzip`);
    expect(bytes).toBeLessThan(mostBytes);
    const builtin = new RegExp(String.raw`from\s*"(?:node:|(?:${builtinModules.join('|')})")`);
    expect(text).not.toMatch(builtin);
    // Names in texts are harmless: standardwebhooks compares the name of a class.
    const code = text.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
    expect(code.match(/(?<!\.)\b(?:process|Buffer)\b/g) ?? []).toEqual([]);
  });
});
