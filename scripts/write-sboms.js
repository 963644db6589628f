// Writes the bill of materials (SBOM, CycloneDX) of every published package, and checks it: npm run sbom -- FOLDER
// The release workflow attaches the files to the release.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOfMaterials, billProblems } from './release/bill-of-materials.js';
import { bundledWorks } from './release/redistributed-works.js';
import { shippedLock } from './release/shipped-lock.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (...path) => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));

function writeBill(target, lock, folder) {
  const { name, version, description } = read(folder, 'package.json');
  const shipped = shippedLock(lock, folder, bundledWorks());
  const bill = billOfMaterials({ ...shipped, manifest: { ...shipped.manifest, description } });
  const problems = billProblems(bill, shipped.lock);
  if (problems.length > 0) throw new Error(`the SBOM of ${name} is wrong:\n${problems.join('\n')}`);
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`;
  writeFileSync(join(target, file), `${JSON.stringify(bill, null, 2)}\n`);
  console.log(`${file}: ${bill.components.length} components`);
}

const [target, ...more] = process.argv.slice(2);
if (target === undefined || more.length > 0) {
  console.error('give one folder: npm run sbom -- FOLDER');
  process.exit(1);
}
mkdirSync(target, { recursive: true });
const lock = read('package-lock.json');
for (const folder of Object.keys(lock.packages).filter((path) => !path.includes('node_modules/'))) {
  writeBill(target, lock, folder);
}
