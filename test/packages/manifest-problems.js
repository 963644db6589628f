/** Fewer words than this do not say what a package is for. */
const MIN_KEYWORDS = 4;

/**
 * Returns the reasons why a manifest is not fit to be published, one line each.
 * @param manifest the parsed package.json
 * @param folder the package's folder in the repository: '' or 'adapters/<name>'
 * @param root the manifest of the repository's root: version, licence, engines and repository are those of every package
 * @param names names of all packages of the repository
 */
export function manifestProblems(manifest, folder, root, names) {
  return [
    ...aboutProblems(manifest),
    ...placeProblems(manifest, folder, root.repository),
    ...contentProblems(manifest, folder, root),
    ...Object.entries(manifest.dependencies ?? {}).flatMap(([name, range]) =>
      rangeProblems(`dependencies.${name}`, range, names.includes(name), manifest.version),
    ),
  ];
}

function aboutProblems({ name, description = '', keywords = [], license }) {
  return listed([
    [description === '', '"description" is missing'],
    [license !== 'MIT', `"license" is ${license}, not MIT`],
    [keywords.length < MIN_KEYWORDS, `"keywords" has ${keywords.length} words, fewer than ${MIN_KEYWORDS}`],
    [!keywords.includes('kalends'), `"keywords" lacks kalends, by which ${name} and its companions are found`],
    [new Set(keywords).size < keywords.length, '"keywords" has a word twice'],
  ]);
}

/** `repository.url` is `git+<url>.git`; homepage and bugs are pages below the same URL. */
function placeProblems({ homepage, bugs, repository }, folder, { url }) {
  const base = url.replace(/^git\+/, '').replace(/\.git$/, '');
  const home = folder === '' ? `${base}#readme` : `${base}/tree/main/${folder}#readme`;
  return listed([
    [repository?.type !== 'git' || repository.url !== url, `"repository" has to be git, at ${url}`],
    [(repository?.directory ?? '') !== folder, `"repository.directory" has to be "${folder}"`],
    [homepage !== home, `"homepage" has to be ${home}`],
    [bugs?.url !== `${base}/issues`, `"bugs.url" has to be ${base}/issues`],
  ]);
}

/** Of the core alone: the module that has Node set up its own fetch before undici is loaded. */
const CORE_SIDE_EFFECTS = '["./src/network/node-fetch.ts","./dist/network/node-fetch.js"]';

function contentProblems({ engines, files = [], scripts, sideEffects }, folder, root) {
  const check = `node ${folder.replace(/[^/]+/g, '..')}${folder === '' ? '' : '/'}scripts/check-publish.js`;
  return listed([
    [engines?.node !== root.engines.node, `"engines.node" is ${engines?.node}, not ${root.engines.node}`],
    [!files.includes('dist') || !files.includes('src'), '"files" has to contain dist, and src for its source maps'],
    [scripts?.prepublishOnly !== check, `"scripts.prepublishOnly" has to be "${check}"`],
    [
      sideEffects !== false && !(folder === '' && JSON.stringify(sideEffects) === CORE_SIDE_EFFECTS),
      '"sideEffects" has to be false',
    ],
  ]);
}

/**
 * A package of the repository is depended on at its exact version: all are released together. Others have a caret range, so
 * that an application gets their fixes, and one copy of what it uses itself.
 */
function rangeProblems(place, range, isOwn, version) {
  if (isOwn) return listed([[range !== version, `${place} is "${range}", not ${version}`]]);
  return listed([[!/^\^\d+\.\d+\.\d+$/.test(range), `${place} is "${range}", not a range such as ^1.2.3`]]);
}

const listed = (problems) => problems.filter(([holds]) => holds).map(([, text]) => text);
