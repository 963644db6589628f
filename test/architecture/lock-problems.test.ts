import { describe, expect, it } from 'vitest';
import { lockProblems } from './lock-problems.js';

const integrity = 'sha512-AAAA';
const lockOf = (packages: object) => ({ lockfileVersion: 3, packages: { '': {}, 'adapters/one': {}, ...packages } });
const problemsOf = (entry: object, path = 'node_modules/luxon') => lockProblems(lockOf({ [path]: entry }));

it.each([
  ['without resolved, as .npmrc has npm write it', { integrity }],
  ['resolved at the registry', { integrity, resolved: 'https://registry.npmjs.org/luxon/-/luxon-3.7.2.tgz' }],
  ['bundled in its parent', { inBundle: true }],
  ['linked to a workspace', { link: true, resolved: 'adapters/one' }],
  ['linked to the root', { link: true, resolved: '' }],
])('accepts a package %s', (_, entry) => {
  expect(problemsOf(entry)).toEqual([]);
});

it.each([
  ['has no integrity', {}],
  ['has no integrity', { resolved: 'https://registry.npmjs.org/luxon/-/luxon-3.7.2.tgz' }],
  ['has the integrity "sha1-AAAA", not a sha512', { integrity: 'sha1-AAAA' }],
  ['comes from the host npm.example.com', { integrity, resolved: 'https://npm.example.com/luxon-3.7.2.tgz' }],
  ['comes from the host localhost:4873', { integrity, resolved: 'http://localhost:4873/luxon-3.7.2.tgz' }],
  [
    'comes from the host registry.npmjs.org.example.com',
    { integrity, resolved: 'https://registry.npmjs.org.example.com/luxon.tgz' },
  ],
  ['comes from the host registry.npmjs.org', { integrity, resolved: 'http://registry.npmjs.org/luxon.tgz' }],
  ['comes from the host npm.example.com', { inBundle: true, resolved: 'https://npm.example.com/luxon.tgz' }],
  [
    'comes from the git repository "git+ssh://git@github.com/moment/luxon.git#0123abc"',
    { resolved: 'git+ssh://git@github.com/moment/luxon.git#0123abc' },
  ],
  [
    'comes from the git repository "git://github.com/moment/luxon.git"',
    { resolved: 'git://github.com/moment/luxon.git' },
  ],
  ['comes from the file "file:../luxon.tgz"', { integrity, resolved: 'file:../luxon.tgz' }],
  ['is a link to "../luxon", which is no workspace', { link: true, resolved: '../luxon' }],
  ['is a link to "adapters/two", which is no workspace', { link: true, resolved: 'adapters/two' }],
])('refuses a package that %s', (problem, entry) => {
  expect(problemsOf(entry)).toEqual([expect.stringContaining(`node_modules/luxon: ${problem}`)]);
});

it('refuses a link out of the repository that the lock lists as a package', () => {
  const packages = { '../luxon': {}, 'node_modules/luxon': { link: true, resolved: '../luxon' } };
  expect(lockProblems(lockOf(packages))).toEqual([expect.stringContaining('which is no workspace')]);
});

it('finds packages nested in workspaces and in other packages', () => {
  const path = 'adapters/one/node_modules/@scope/a/node_modules/b';
  expect(problemsOf({}, path)).toEqual([expect.stringContaining(`${path}: has no integrity`)]);
});

it('refuses the lock of an old npm, which lists no packages', () => {
  expect(lockProblems({ lockfileVersion: 1 } as never)).toEqual(['lockfileVersion is 1; npm 7 and later write 3']);
});

describe('install scripts', () => {
  const packages = {
    'node_modules/native': { integrity, hasInstallScript: true },
    'node_modules/alias': { integrity, hasInstallScript: true, name: '@scope/telemetry' },
    'node_modules/a/node_modules/native': { integrity, hasInstallScript: true },
  };
  const scriptProblemsOf = (allowScripts?: Record<string, boolean>) => lockProblems(lockOf(packages), allowScripts);

  it('are refused, once for each package that is not listed, under its own name', () => {
    expect(scriptProblemsOf()).toEqual([
      expect.stringContaining('native: runs a script at install'),
      expect.stringContaining('@scope/telemetry: runs a script at install'),
    ]);
  });

  it('are accepted from listed packages alone', () => {
    expect(scriptProblemsOf({ native: true, '@scope/telemetry': true })).toEqual([]);
    expect(scriptProblemsOf({ native: true, '@scope/telemetry': false })).toEqual([
      expect.stringContaining('@scope/telemetry: runs a script at install'),
    ]);
  });

  it('leave no leftover in the list', () => {
    const listed = { native: true, '@scope/telemetry': true, gone: true };
    expect(scriptProblemsOf(listed)).toEqual([
      'gone: is listed in allowScripts of package.json, but runs no script at install',
    ]);
  });
});
