import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A row of a table of log messages, and a message that a sentence quotes. */
const ROW = /^\| (?:debug|info|warn|error)(?: \| |, )`([^`]+)`/gm;
const QUOTED = /\blogged as\s`([^`]+)`/g;
/** A row with what is said of its message. */
const TOLD = /^\| (?:debug|info|warn|error) \| `[^`]+` \| (.*) \|$/gm;
/** A quoted name of several words. */
const NAME = /`([a-z]+[A-Z]\w*)`/g;
/** Names that are no fields. */
const OPTIONS = ['providerBudgets'];

function filesBelow(directory: string, ending: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !/(?:^|\/)(?:node_modules|dist|test)\//.test(path))
    .map((path) => join(directory, path));
}

it('logs each message that the documentation names', () => {
  const sources = ['src', 'adapters'].flatMap((directory) => filesBelow(directory, '.ts'));
  const code = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
  const named = filesBelow('docs', '.md').flatMap((path) => {
    const page = readFileSync(path, 'utf8');
    return [...page.matchAll(ROW), ...page.matchAll(QUOTED)].map(([, message = '']) => ({ path, message }));
  });
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(({ message }) => !code.includes(message))).toEqual([]);
});

it('logs each field that the documentation names of a message', () => {
  const logger = readFileSync('adapters/server/src/logger.ts', 'utf8');
  const list = logger.split('const FIELDS = new Set([')[1]?.split(']')[0] ?? '';
  const logged = [...list.matchAll(/'(\w+)'/g)].map(([, field]) => field);
  const told = [...readFileSync('docs/sync.md', 'utf8').matchAll(TOLD)].map(([, text = '']) => text);
  const named = told.flatMap((text) => [...text.matchAll(NAME)].map(([, field = '']) => field));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((field) => !logged.includes(field) && !OPTIONS.includes(field))).toEqual([]);
});
