const REGISTRY = 'https://registry.npmjs.org/';
const REFRESH = 'remove its entry and run "npm install --package-lock-only"';

/**
 * Returns the reasons not to trust an install from a lock file, one line each, in the order of its packages: a package that
 * npm could not check against a SHA-512, that comes from elsewhere than the public registry, or that runs a script of its
 * own at install without being listed in `allowScripts`.
 * @param lock a parsed package-lock.json
 * @param allowScripts `allowScripts` of the root's manifest: true for each package that may run scripts at install
 */
export function lockProblems(lock, allowScripts = {}) {
  if (lock.lockfileVersion !== 3) return [`lockfileVersion is ${lock.lockfileVersion}; npm 7 and later write 3`];
  const installed = Object.entries(lock.packages)
    .filter(([path]) => path.includes('node_modules/'))
    .map(([path, entry]) => ({ ...entry, path, name: entry.name ?? path.split('node_modules/').at(-1) }));
  return [
    ...installed.flatMap((entry) => {
      const problem = entry.link ? linkProblem(entry, lock.packages) : packageProblem(entry);
      return problem === undefined ? [] : [`${entry.path}: ${problem}`];
    }),
    ...scriptProblems(installed, allowScripts),
  ];
}

/** A link needs no integrity, but it leads to a workspace: nothing else is under this repository's review. */
function linkProblem({ resolved }, packages) {
  const isWorkspace = Object.hasOwn(packages, resolved) && !resolved.split('/').includes('..');
  return isWorkspace ? undefined : `is a link to "${resolved}", which is no workspace`;
}

function packageProblem({ resolved, integrity, inBundle }) {
  const source = resolved === undefined ? undefined : foreignSource(resolved);
  if (source !== undefined) return `comes from ${source}; only the npm registry serves versions that never change`;
  // A bundled package is a part of its parent's archive, under the parent's integrity.
  if (inBundle) return undefined;
  if (integrity === undefined) return `has no integrity, so npm installs whatever it is given; ${REFRESH}`;
  return integrity.startsWith('sha512-') ? undefined : `has the integrity "${integrity}", not a sha512; ${REFRESH}`;
}

function foreignSource(resolved) {
  if (resolved.startsWith(REGISTRY)) return undefined;
  const url = URL.canParse(resolved) ? new URL(resolved) : undefined;
  if (url === undefined || url.protocol === 'file:') return `the file "${resolved}"`;
  return /^git\b/.test(url.protocol) ? `the git repository "${resolved}"` : `the host ${url.host}`;
}

/** `allowScripts` lists exactly the packages that run scripts: a leftover would allow a later package of that name. */
function scriptProblems(installed, allowScripts) {
  const running = new Set(installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name));
  const unlisted = [...running].filter((name) => allowScripts[name] !== true);
  const leftover = Object.keys(allowScripts).filter((name) => allowScripts[name] === true && !running.has(name));
  return [
    ...unlisted.map(
      (name) => `${name}: runs a script at install; read it, then list it in allowScripts of package.json`,
    ),
    ...leftover.map((name) => `${name}: is listed in allowScripts of package.json, but runs no script at install`),
  ];
}
