import { expect, it } from 'vitest';
import { namedFiles, publishProblems } from '../../scripts/release/publish-problems.js';

const url = 'git+https://github.com/kalends/kalends.git';
const manifest = { name: 'kalends', version: '1.2.0', repository: { type: 'git', url } };
const tree = {
  changes: '',
  head: 'c0ffee',
  tested: 'c0ffee',
  tags: ['v1.2.0'],
  staleProjects: [],
  missingFiles: [],
  workflowUrl: undefined,
};

it('publishes a tagged, tested and built commit, by hand and from the workflow of its repository', () => {
  expect(publishProblems(tree, manifest)).toEqual([]);
  expect(publishProblems({ ...tree, workflowUrl: url }, manifest)).toEqual([]);
});

it.each([
  [
    'a changed tree',
    { changes: ' M src/index.ts' },
    'the working tree has changes; commit or stash them:\n M src/index.ts',
  ],
  ['no tag', { tags: [''] }, 'HEAD has no tag v1.2.0; "npm run release" makes it'],
  ['the tag of another version', { tags: ['v1.1.0'] }, 'HEAD has no tag v1.2.0; "npm run release" makes it'],
  ['a tree that was never tested', { tested: undefined }, 'no commit has passed .ci/run here; run .ci/run on c0ffee'],
  ['tests of another commit', { tested: 'beef' }, '.ci/run passed on beef; run .ci/run on c0ffee'],
  ['stale output', { staleProjects: ['src/tsconfig.json'] }, 'not built: src/tsconfig.json; run "npm run build"'],
  ['a missing file', { missingFiles: ['dist/index.js'] }, 'the manifest names files that do not exist: dist/index.js'],
  [
    'another repository',
    { workflowUrl: 'git+https://github.com/somewhere/else.git' },
    `"repository" names ${url}, but git+https://github.com/somewhere/else.git publishes; npm refuses such a provenance`,
  ],
])('refuses %s', (_, change, problem) => {
  expect(publishProblems({ ...tree, ...change }, manifest)).toEqual([problem]);
});

it('finds the files that a manifest names', () => {
  const exports = {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  };
  expect(namedFiles({ exports, bin: { kalends: 'dist/index.js' } })).toEqual([
    'dist/index.d.ts',
    'dist/index.js',
    'package.json',
  ]);
});
