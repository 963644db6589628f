import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BlockModule, compileBlocks, compileForBrowsers, moduleOf } from './blocks/compile-blocks.ts';
import { createValues, IMAGINED, type Placeholders } from './blocks/placeholders.ts';
import { type Block, blocksOfPages, examples, ROOT } from './blocks/read-blocks.ts';
import { runBlock } from './blocks/run-block.ts';

/*
 * Users copy the code of documents and docstrings. Each block is compiled in strict mode, as a module that knows the placeholders,
 * and run. A comment above a block exempts it, with a reason: `<!-- not run: … -->`, `<!-- not compiled: … -->`.
 */
const BLOCKS = [...blocksOfPages(), ...examples()];

async function publicExports(): Promise<ReadonlyMap<string, readonly string[]>> {
  const folders = ['', ...readdirSync(`${ROOT}adapters`).map((name) => `adapters/${name}/`)];
  const entries = folders.flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(`${ROOT}${folder}package.json`, 'utf8'));
    return Object.keys(exports)
      .filter((entry) => entry !== './package.json')
      .map((entry) => `${name}${entry.slice(1)}`);
  });
  return new Map(await Promise.all(entries.map(async (entry) => [entry, Object.keys(await import(entry))] as const)));
}

/** `@example`s that are compiled and not run, with the reason. */
const EXAMPLES_NOT_RUN: Readonly<Record<string, string>> = {
  'adapters/postgres/src/postgres.ts': 'needs the PostgreSQL server that it names',
  'adapters/postgres/src/sharded/sharded-storage.ts': 'needs the PostgreSQL servers that it names',
};

let modules: readonly BlockModule[];
let names: readonly (keyof Placeholders)[];
const folder = mkdtempSync(join(tmpdir(), 'kalends-blocks-'));
beforeAll(async () => {
  const exports = await publicExports();
  const { values, close } = await createValues();
  await close();
  names = [...(Object.keys(values) as (keyof typeof values)[]), ...IMAGINED];
  modules = BLOCKS.map((block, index) => moduleOf(block, index, exports));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const moduleAt = (place: string) => modules.find(({ block }) => block.place === place) as BlockModule;

describe('the code in documents and docstrings', () => {
  it('compiles in strict mode', () => {
    expect(
      compileBlocks(
        modules.filter(({ block }) => block.mark?.kind !== 'not compiled'),
        names,
      ),
    ).toEqual([]);
  }, 120_000);

  it('compiles in strict mode for a browser: docs/examples/indexeddb-store.js', () => {
    expect(compileForBrowsers('docs/examples/indexeddb-store.js')).toEqual([]);
  }, 60_000);

  it('is compiled and run but for a few blocks, each with its reason', () => {
    const places = (kind: string) => BLOCKS.filter(({ mark }) => mark?.kind === kind).map(({ place }) => place);
    expect(places('not compiled').map((place) => place.split(':')[0])).toEqual([
      'docs/your-first-change.md',
      'docs/your-first-change.md',
    ]);
    expect(places('not run').map((place) => place.split(':')[0])).toEqual([
      'docs/providers.md',
      'docs/storage.md',
      'docs/webhooks.md',
      'adapters/conformance/README.md',
      'adapters/postgres/README.md',
      'adapters/provider-transport/README.md',
      'adapters/sql/README.md',
    ]);
    expect(BLOCKS.length).toBeGreaterThan(60);
  });

  it.each(BLOCKS.filter(isRun).map(({ place }) => place))('runs: %s', async (place) => {
    await runBlock(moduleAt(place), names, folder);
  });
});

function isRun({ mark, source = '' }: Block): boolean {
  return mark === undefined && EXAMPLES_NOT_RUN[source] === undefined;
}
