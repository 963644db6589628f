// Copies swagger-ui's two files into the package, so that the API page works offline.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const target = new URL('../assets/', import.meta.url);
mkdirSync(target, { recursive: true });
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
  copyFileSync(require.resolve(`swagger-ui-dist/${name}`), new URL(name, target));
}
