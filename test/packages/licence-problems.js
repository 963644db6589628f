/** Files that we write or compile; any other file of a package is the work of others. */
const OWN =
  /^(package\.json|assets\/index\.html|README\.md|CHANGELOG\.md|LICENSE|NOTICE|(src|dist)\/.+\.(ts|js|js\.map|d\.ts\.map))$/;
const STRANGER =
  'is neither ours nor a listed work of others; list it in scripts/release/redistributed-works.js, or leave it out by "files"';

/**
 * Returns the reasons why a package may not be published under its licences, one line each.
 * @param files the texts of the packed files by path
 * @param licence the text of our licence
 * @param works of others in the package: `{ work, files, texts }`, with each of `texts` as `{ path, text }`: the file that has
 * to contain the text
 */
export function licenceProblems(files, licence, works) {
  const declared = works.flatMap((work) => [...work.files, ...work.texts.map(({ path }) => path)]);
  const isDeclared = (path) => declared.some((name) => stands(name, path));
  const strangers = [...files.keys()].filter((path) => !OWN.test(path) && !isDeclared(path));
  return [
    ...(files.get('LICENSE') === licence ? [] : ['LICENSE is not the LICENSE of the repository']),
    ...strangers.map((path) => `${path}: ${STRANGER}`),
    ...works.flatMap(({ work, files: paths, texts }) => [
      ...paths
        .filter((name) => ![...files.keys()].some((path) => stands(name, path)))
        .map((path) => `${path}: the package has no such file of ${work}`),
      ...texts.filter(({ path, text }) => !contains(files.get(path), text)).map(({ path }) => missing(path, work)),
    ]),
  ];
}

/** Tells whether a declared name stands for a path: it is the path, or `folder/*` for each file in its folder. */
function stands(name, path) {
  return name.endsWith('/*') ? path.startsWith(name.slice(0, -1)) : name === path;
}

function contains(file, text) {
  if (text.trim() === '') throw new Error('a licence without words is contained everywhere');
  return file?.includes(text.trim()) === true;
}

const missing = (path, work) => `${path}: has to contain the licence or notice of ${work}, word for word`;
