import { posix } from 'node:path';

const COMPILED = /^dist\/.+\.(js|d\.ts)$/;

/**
 * Returns the compiled files of a package whose source maps lead to no file of the package, one line each.
 * @param files the texts of the packed files by path
 */
export function sourceMapProblems(files) {
  return [...files.keys()].filter((path) => COMPILED.test(path)).flatMap((path) => problemsOf(path, files));
}

function problemsOf(path, files) {
  const [, reference] = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(files.get(path)) ?? [];
  if (reference === undefined) return [`${path}: has no source map`];
  const map = posix.join(posix.dirname(path), reference);
  if (!files.has(map)) return [`${path}: its source map ${map} is not in the package`];
  const { sources, sourceRoot } = JSON.parse(files.get(map));
  return sources
    .map((source) => posix.join(posix.dirname(map), sourceRoot ?? '', source))
    .filter((source) => !files.has(source))
    .map((source) => `${path}: its source ${source} is not in the package`);
}
