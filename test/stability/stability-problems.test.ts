import { describe, expect, it } from 'vitest';
import { snapshotChanges, stabilityProblems } from '../../scripts/stability/stability-problems.js';
import { typeChanges } from '../../scripts/stability/type-changes.js';

const text = `entry kalends
  Page
  list

interface Page {
    readonly data: string;
}

function list(limit: number): Page;
`;
const change = (from: string, to: string) => typeChanges(text, text.replace(from, to), 'kalends');

describe('typeChanges', () => {
  it('knows additions: an optional member, an export, a declaration', () => {
    expect(change('data: string;', 'data: string;\n    readonly next?: string;')).toMatchObject([{ isBreak: false }]);
    expect(change('  list\n', '  list\n  more\n')).toMatchObject([{ isBreak: false }]);
    expect(typeChanges(text, `${text}\ntype More = 1;\n`, 'kalends')).toEqual([
      { isBreak: false, text: 'kalends: type More is new' },
    ]);
    expect(typeChanges(text, text, 'kalends')).toEqual([]);
  });

  it.each([
    ['a member that is gone', '    readonly data: string;\n', ''],
    ['another type', 'data: string', 'data: number'],
    ['a required member', 'data: string;', 'data: string;\n    readonly next: string;'],
    ['another parameter', 'limit: number', 'limit: string'],
    ['an export that is gone', '  list\n', ''],
    ['a declaration that is gone', '\nfunction list(limit: number): Page;\n', ''],
  ])('counts as a break: %s', (_, from, to) => {
    expect(change(from, to)).toMatchObject([{ isBreak: true }]);
  });
});

describe('stabilityProblems', () => {
  const snapshot = { 'kalends.txt': text };
  const broken = { 'kalends.txt': text.replace('data: string', 'data: number') };
  const larger = { 'kalends.txt': `${text}\ntype More = 1;\n` };
  const changelog = (lines: string) =>
    `# Changelog\n\n## [Unreleased]\n\n### Changed\n\n${lines}\n\n## [1.0.0]\n\n- **Breaking**: old\n`;

  it('demands a snapshot of the present code', () => {
    const problems = stabilityProblems({ snapshot, current: larger, released: undefined, changelog: changelog('') });
    expect(problems).toEqual([expect.stringContaining('the public interface has changed (kalends.txt)')]);
    expect(stabilityProblems({ snapshot, current: snapshot, released: undefined, changelog: '' })).toEqual([]);
  });

  it('demands a line for a break since the last release, and none for additions or before the first release', () => {
    const problems = (current: typeof snapshot, lines: string, released: typeof snapshot | undefined = snapshot) =>
      stabilityProblems({ snapshot: current, current, released, changelog: changelog(lines) });
    expect(problems(broken, '- Other')).toEqual([expect.stringContaining('need a line "- **Breaking**')]);
    expect(problems(broken, '- **Breaking**: `Page.data` is a number.')).toEqual([]);
    expect(problems(larger, '- Other')).toEqual([]);
    expect(stabilityProblems({ snapshot: broken, current: broken, released: undefined, changelog: '' })).toEqual([]);
  });

  it('reads documents as interfaces, and texts as types', () => {
    const paths = { '/items': { get: {} } };
    const changes = snapshotChanges({ 'openapi.json': JSON.stringify({ paths }) }, { 'openapi.json': '{"paths":{}}' });
    expect(changes).toEqual([{ isBreak: true, text: 'openapi.json: GET /items is gone' }]);
  });
});
