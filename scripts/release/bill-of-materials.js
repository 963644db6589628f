import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Has npm write the bill of materials (SBOM) of a package, as parsed CycloneDX JSON. No registry is asked.
 * @param shipped the package's manifest and lock: see shippedLock
 * @throws Error of npm for a lock with a missing package or a wrong version
 */
export function billOfMaterials({ manifest, lock }) {
  const root = mkdtempSync(join(tmpdir(), 'kalends-sbom-'));
  try {
    // npm names the bill after the folder.
    const folder = join(root, manifest.name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
    return JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Returns what a bill lacks or has too much, one line each: it lists exactly the packages of the lock, each with its
 * licence and, where the lock has one, its hash; every dependency leads to a listed package.
 */
export function billProblems(bill, lock) {
  const [[, root], ...entries] = Object.entries(lock.packages);
  const expected = new Map(entries.map(([path, entry]) => [purlOf(path, entry), entry]));
  const listed = new Map(bill.components.map((component) => [component.purl, component]));
  const known = new Set([bill.metadata.component, ...bill.components].map((component) => component['bom-ref']));
  const refs = new Set(bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]));
  return [
    ...(bill.bomFormat === 'CycloneDX' ? [] : [`bomFormat is ${bill.bomFormat}, not CycloneDX`]),
    ...(bill.metadata.component.purl === purlOf('', root) ? [] : [`describes ${bill.metadata.component.purl}`]),
    ...[...expected.keys()].filter((purl) => !listed.has(purl)).map((purl) => `${purl} is not listed`),
    ...[...listed.keys()].filter((purl) => !expected.has(purl)).map((purl) => `${purl} is listed, but not shipped`),
    ...bill.components.filter(({ licenses = [] }) => licenses.length === 0).map(({ purl }) => `${purl} has no licence`),
    ...bill.components
      .filter(({ purl, hashes = [] }) => expected.get(purl)?.integrity !== undefined && hashes.length === 0)
      .map(({ purl }) => `${purl} has no hash`),
    ...[...refs].filter((ref) => !known.has(ref)).map((ref) => `${ref} is a dependency, but not listed`),
  ];
}

/** The package URL of an entry: https://github.com/package-url/purl-spec, type npm. */
function purlOf(path, { name = path.split('node_modules/').at(-1), version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
