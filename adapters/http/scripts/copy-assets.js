// Copies swagger-ui's two files and their licences into the package, so that the API page works offline.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { REDISTRIBUTED_WORKS } from '../../../scripts/release/redistributed-works.js';

const require = createRequire(import.meta.url);
const root = new URL('../', import.meta.url);
mkdirSync(new URL('assets/', root), { recursive: true });
for (const { work, files, texts } of REDISTRIBUTED_WORKS.filter(({ package: name }) => name === '@kalends/http')) {
  const copies = [...files.map((path) => [path.slice(path.lastIndexOf('/') + 1), path]), ...Object.entries(texts)];
  for (const [source, path] of copies) copyFileSync(require.resolve(`${work}/${source}`), new URL(path, root));
}
