// Copies the sources of the modules that the package shares with `kalends` into it, and leads their source maps there: a package
// contains no file from above its folder. Run by `npm run build`, after the compiler.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const modules = fileURLToPath(new URL('../../../src', import.meta.url));
const compiled = join(dist, 'src');

for (const name of readdirSync(compiled, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.map')) continue;
  const path = join(compiled, name);
  const map = JSON.parse(readFileSync(path, 'utf8'));
  const sources = map.sources.map((source) => copyOf(resolve(dirname(path), source)));
  writeFileSync(path, JSON.stringify({ ...map, sources: sources.map((source) => urlFrom(dirname(path), source)) }));
}

/** A map that has been led into the package stays. */
function copyOf(source) {
  if (source.startsWith(dist + sep)) return source;
  const copy = join(dist, 'sources', relative(modules, source));
  cpSync(source, copy);
  return copy;
}

function urlFrom(folder, path) {
  return relative(folder, path).split(sep).join('/');
}
