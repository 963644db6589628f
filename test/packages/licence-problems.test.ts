import { describe, expect, it } from 'vitest';
import { licenceProblems } from './licence-problems.js';

const LICENSE = 'MIT License\n';
const own = { LICENSE, 'package.json': '{}', 'src/index.ts': '', 'dist/index.js': '', 'dist/index.d.ts': '' };
const page = {
  work: 'page',
  files: ['assets/page.js'],
  texts: [
    { path: 'assets/LICENSE', text: 'Apache License\n' },
    { path: 'NOTICE', text: 'page\nCopyright the page authors' },
  ],
};
const assets = { 'assets/page.js': 'page()', 'assets/LICENSE': 'Apache License\n' };
const NOTICE = 'ours\n\npage\nCopyright the page authors\n';

const problemsOf = (files: Record<string, string>, works: (typeof page)[] = []) =>
  licenceProblems(new Map(Object.entries(files)), LICENSE, works);

it('accepts a package of our files under our licence', () => {
  expect(problemsOf(own)).toEqual([]);
});

it.each([
  ['no', { 'package.json': '{}' }],
  ['another', { ...own, LICENSE: 'Apache License\n' }],
])('refuses a package with %s licence', (_, files) => {
  expect(problemsOf(files)).toEqual(['LICENSE is not the LICENSE of the repository']);
});

it.each([
  'assets/page.js',
  'dist/vendored.wasm',
  'src/zones.json',
  'LICENSE.txt',
  'lib/index.js',
])('refuses %s, a file that is neither ours nor declared', (path) => {
  expect(problemsOf({ ...own, [path]: '' })).toEqual([
    expect.stringContaining(`${path}: is neither ours nor a listed work of others`),
  ]);
});

describe('a work of others', () => {
  it('may be a folder of built files', () => {
    const built = { ...page, files: ['assets/files/*'] };
    const files = {
      ...own,
      'assets/files/one-a1.js': '',
      'assets/files/two-b2.css': '',
      'assets/LICENSE': 'Apache License',
    };
    expect(problemsOf({ ...files, NOTICE }, [built])).toEqual([]);
    expect(problemsOf({ ...files, 'assets/other.js': '', NOTICE }, [built])).toEqual([
      expect.stringContaining('assets/other.js: is neither ours'),
    ]);
    expect(problemsOf({ ...own, 'assets/LICENSE': 'Apache License', NOTICE }, [built])).toEqual([
      'assets/files/*: the package has no such file of page',
    ]);
  });

  it('goes out with its licence and its notice, which may stand among other words', () => {
    expect(problemsOf({ ...own, ...assets, NOTICE }, [page])).toEqual([]);
  });

  it('is refused without its licence', () => {
    expect(problemsOf({ ...own, 'assets/page.js': '', NOTICE }, [page])).toEqual([
      'assets/LICENSE: has to contain the licence or notice of page, word for word',
    ]);
  });

  it('is refused with a shortened notice', () => {
    expect(problemsOf({ ...own, ...assets, NOTICE: 'Copyright the page authors' }, [page])).toEqual([
      'NOTICE: has to contain the licence or notice of page, word for word',
    ]);
  });

  it('is refused when a file of it is missing, so that the list stays true', () => {
    expect(problemsOf({ ...own, 'assets/LICENSE': 'Apache License', NOTICE }, [page])).toEqual([
      'assets/page.js: the package has no such file of page',
    ]);
  });

  it('cannot have an empty licence, which every file would contain', () => {
    const empty = { ...page, texts: [{ path: 'NOTICE', text: ' \n' }] };
    expect(() => problemsOf({ ...own, ...assets, NOTICE }, [empty])).toThrow('without words');
  });
});
