import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { runCommand, timed } from './run-command.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Paths of the packed packages by their names. */
    readonly tarballs: Readonly<Record<string, string>>;
    /** Every public entry, such as `@kalends/http/express`. */
    readonly entries: readonly string[];
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Builds and packs every package, once for all test files. */
export async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-tarballs-'));
  const paths = [ROOT, ...readdirSync(join(ROOT, 'adapters')).map((name) => join(ROOT, 'adapters', name))];
  await timed('npm run build', () => runCommand(ROOT, 'npm', 'run', 'build'));
  const packed = await timed('npm pack', () =>
    runCommand(ROOT, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...paths),
  );
  const archives = JSON.parse(packed) as readonly { readonly name: string; readonly filename: string }[];
  project.provide('tarballs', Object.fromEntries(archives.map(({ name, filename }) => [name, join(folder, filename)])));
  project.provide('entries', paths.flatMap(entriesOf));
  return () => rmSync(folder, { recursive: true, force: true });
}

function entriesOf(path: string): readonly string[] {
  const { name, exports } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  return Object.keys(exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => `${name}${entry.slice(1)}`);
}
