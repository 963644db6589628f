import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts';
import { codeBlocksBelow } from './code-blocks.ts';

const ROOT = new URL('../../', import.meta.url);
const text = readFileSync(new URL('llms.txt', ROOT), 'utf8');
const agents = readFileSync(new URL('docs/coding-agents.md', ROOT), 'utf8');

it('llms.txt has the form of llmstxt.org: a title, a summary, and sections of links with a note each', () => {
  const [title, , summary, ...rest] = text.trim().split('\n');
  expect(title).toBe('# kalends');
  expect(summary).toMatch(/^> \S/);
  const sections = rest.join('\n').split('\n## ').slice(1);
  expect(sections.map((section) => section.split('\n')[0])).toEqual(['Use', 'Operate', 'Optional']);
  for (const section of sections) {
    for (const line of section.split('\n').slice(1)) expect(line).toMatch(/^$|^- \[[^\]]+\]\([^)]+\): \S/);
  }
});

it('llms.txt names every page, and none that does not exist', () => {
  const linked = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  expect(linked.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  const pages = readdirSync(new URL('docs/', ROOT)).filter((name) => name.endsWith('.md'));
  const missing = pages.filter((name) => !linked.includes(`docs/${name}`));
  expect(missing).toEqual([]);
});

it('the page for coding agents names error codes that exist, with their status', () => {
  const named = [...agents.matchAll(/^\| (`.*?`.*?) \| /gm)].flatMap(([, cell = '']) => [
    ...cell.matchAll(/`(\w+)`(?:, `(\w+)`)? \((\d{3})\)/g),
  ]);
  expect(named.length).toBeGreaterThan(4);
  for (const [, first = '', second = first, status] of named) {
    for (const code of [first, second]) expect(String(ERROR_STATUS[code as ErrorCode]), code).toBe(status);
  }
});

it('the offline test is one complete file', () => {
  const blocks = codeBlocksBelow(agents, '## Test offline');
  expect(blocks.map(({ language }) => language)).toEqual(['js']);
});
