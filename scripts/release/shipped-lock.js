/**
 * Returns the manifest and the lock of one package as its users install it: no devDependencies of ours, and nothing that only
 * those need. `npm sbom --omit dev` in the repository is no substitute: it leaves out each package that a development tool
 * needs too, such as zod. Other packages of ours are ordinary dependencies here; they have no integrity before they are
 * published.
 * @param lock the parsed package-lock.json of the repository
 * @param folder the package's folder in the lock: '' or 'adapters/<name>'
 * @param works names of npm packages by the name of ours that contains files of them; they are listed as bundled in it
 * @returns `{ manifest, lock }`: the package.json and the package-lock.json of a folder with that package alone
 * @throws Error when the lock lacks a package that a shipped one requires, or two would have one place
 */
export function shippedLock(lock, folder, works = {}) {
  const packages = new Map();
  const origins = new Map();
  const open = [];
  const add = (path, found) => {
    const entry = shippedManifest(lock.packages[found]);
    const bundled = (works[entry.name] ?? []).map((work) => [work, bundledEntry(lock, work)]);
    packages.set(path, bundled.length === 0 ? entry : withBundled(entry, bundled));
    for (const [work, copy] of bundled) packages.set(below(path, work), copy);
    origins.set(path, found);
    open.push({ from: found, entry });
  };
  add('', folder);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { name, isOptional } of requirements(next.entry)) {
      const found = resolve(lock.packages, next.from, name);
      if (found === undefined && isOptional) continue;
      if (found === undefined) throw new Error(`the lock has no ${name}, which ${next.from || 'the root'} requires`);
      const path = placeOf(found, folder, lock.packages);
      if (!origins.has(path)) add(path, found);
      else if (origins.get(path) !== found) {
        throw new Error(`${path} would hold both ${origins.get(path)} and ${found} of the lock`);
      }
    }
  }
  const [[, manifest], ...rest] = packages;
  const sorted = rest.sort(([one], [other]) => (one < other ? -1 : 1));
  const { name, version } = manifest;
  const shipped = { name, version, lockfileVersion: 3, requires: true };
  return { manifest, lock: { ...shipped, packages: { '': manifest, ...Object.fromEntries(sorted) } } };
}

const below = (path, name) => (path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`);

/** The entry of a package whose files are copied into ours: its own dependencies are not among them. */
function bundledEntry(lock, work) {
  const entry = lock.packages[`node_modules/${work}`];
  if (entry === undefined) throw new Error(`the lock has no ${work}, whose files are redistributed`);
  const { dependencies: _, dev: __, ...shipped } = entry;
  return { ...shipped, inBundle: true };
}

function withBundled(entry, bundled) {
  const versions = Object.fromEntries(bundled.map(([work, { version }]) => [work, version]));
  return {
    ...entry,
    dependencies: { ...entry.dependencies, ...versions },
    bundleDependencies: bundled.map(([work]) => work),
  };
}

/** An entry of the lock without what only the repository needs. */
function shippedManifest({ devDependencies: _, workspaces: __, ...entry }) {
  return entry;
}

function requirements({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) {
  const isOptionalPeer = (name) => peerDependenciesMeta[name]?.optional === true;
  return [
    ...Object.keys(dependencies).map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
    // npm installs peers unless they are optional.
    ...Object.keys(peerDependencies)
      .filter((name) => !isOptionalPeer(name))
      .map((name) => ({ name, isOptional: false })),
  ];
}

/** The place in the lock that Node finds `name` at for a module in `from`; links lead to the workspace's folder. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = parentOf(folder)) {
    const path = below(folder, name);
    const entry = packages[path];
    if (entry !== undefined) return entry.link ? entry.resolved : path;
    if (folder === '') return undefined;
  }
}

/** The folder whose node_modules Node searches next: workspaces stand below the root, other packages below their holder. */
function parentOf(folder) {
  const end = folder.lastIndexOf('/node_modules/');
  return end < 0 ? '' : folder.slice(0, end);
}

/** The path of a package in the shipped lock, where the package itself is the root and our others are in node_modules. */
function placeOf(path, folder, packages) {
  const workspace = path.startsWith('node_modules/') ? undefined : path.split('/node_modules/')[0];
  if (workspace === undefined) return path;
  const rest = path.slice(workspace.length);
  if (workspace === folder) return rest.replace(/^\//, '');
  return `node_modules/${packages[workspace].name}${rest}`;
}
