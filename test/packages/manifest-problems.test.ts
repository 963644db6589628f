import { describe, expect, it } from 'vitest';
import { manifestProblems } from './manifest-problems.js';
import { sourceMapProblems } from './source-map-problems.js';

const base = 'https://github.com/kalends/kalends';
const root = {
  name: 'kalends',
  version: '1.2.0',
  description: 'A calendar engine',
  keywords: ['calendar', 'sync', 'rrule', 'kalends'],
  homepage: `${base}#readme`,
  bugs: { url: `${base}/issues` },
  repository: { type: 'git', url: `git+${base}.git` },
  license: 'MIT',
  engines: { node: '>=20.19' },
  sideEffects: false,
  files: ['dist', 'src'],
  scripts: { prepublishOnly: 'node scripts/check-publish.js' },
  dependencies: { zod: '^4.6.7' },
};
const google = {
  ...root,
  name: '@kalends/google',
  homepage: `${base}/tree/main/adapters/google#readme`,
  repository: { ...root.repository, directory: 'adapters/google' },
  scripts: { prepublishOnly: 'node ../../scripts/check-publish.js' },
  dependencies: { jose: '^6.2.17', '@kalends/sql': '1.2.0' },
};
const names = ['kalends', '@kalends/google', '@kalends/sql'];
const problems = (change: object) => manifestProblems({ ...google, ...change }, 'adapters/google', root, names);

describe('manifestProblems', () => {
  it('accepts the root and an adapter', () => {
    expect(manifestProblems(root, '', root, names)).toEqual([]);
    expect(problems({})).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['no description', { description: undefined }, '"description" is missing'],
    ['another licence', { license: 'ISC' }, '"license" is ISC, not MIT'],
    ['few keywords', { keywords: ['kalends'] }, '"keywords" has 1 words'],
    ['keywords of others', { keywords: ['a', 'b', 'c', 'd'] }, '"keywords" lacks kalends'],
    ['a keyword twice', { keywords: ['a', 'a', 'b', 'kalends'] }, '"keywords" has a word twice'],
    ['no repository', { repository: { directory: 'adapters/google' } }, '"repository" has to be git'],
    ['no directory', { repository: root.repository }, '"repository.directory" has to be "adapters/google"'],
    ['the homepage of the root', { homepage: root.homepage }, '"homepage" has to be'],
    ['no bugs', { bugs: undefined }, '"bugs.url" has to be'],
    ['other engines', { engines: { node: '>=18' } }, '"engines.node" is >=18, not >=20.19'],
    ['no sources', { files: ['dist'] }, '"files" has to contain dist, and src'],
    ['no check before publishing', { scripts: {} }, '"scripts.prepublishOnly" has to be'],
    ['side effects', { sideEffects: true }, '"sideEffects" has to be false'],
    ['an exact pin', { dependencies: { jose: '6.2.17' } }, 'dependencies.jose is "6.2.17", not a range'],
    ['any version', { dependencies: { jose: '*' } }, 'dependencies.jose is "*", not a range'],
    ['a range of ours', { dependencies: { kalends: '^1.2.0' } }, 'dependencies.kalends is "^1.2.0", not 1.2.0'],
  ])('refuses %s', (_, change, problem) => {
    expect(problems(change)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('sourceMapProblems', () => {
  const map = JSON.stringify({ version: 3, sources: ['../../src/model/event.ts'], mappings: '' });
  const files = {
    'dist/model/event.js': 'export {};\n//# sourceMappingURL=event.js.map',
    'dist/model/event.js.map': map,
    'src/model/event.ts': 'export {};',
    'README.md': '',
  };
  const without = (...paths: readonly string[]) =>
    new Map(Object.entries(files).filter(([path]) => !paths.includes(path)));

  it('accepts a map that leads to a packed source', () => {
    expect(sourceMapProblems(without())).toEqual([]);
  });

  it('names the compiled file without a map, without its map, and without its source', () => {
    expect(sourceMapProblems(new Map([['dist/a.d.ts', 'export {};']]))).toEqual(['dist/a.d.ts: has no source map']);
    expect(sourceMapProblems(without('dist/model/event.js.map'))).toEqual([
      'dist/model/event.js: its source map dist/model/event.js.map is not in the package',
    ]);
    expect(sourceMapProblems(without('src/model/event.ts'))).toEqual([
      'dist/model/event.js: its source src/model/event.ts is not in the package',
    ]);
  });
});
