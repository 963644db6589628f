import { expect, test } from 'vitest';
import { riddlesInComments, riddlesInProse } from './comment-words.js';

test.each([
  ['/** What a pull has in common. */', 'What'],
  ['  * Whoever waits gets the mirror.', 'Whoever'],
  ['// Whose the key is.', 'Whose'],
  ['  // The change was told to nobody.', 'nobody'],
  ['const limit = 3; // Nobody needs more.', 'Nobody'],
  ['/** Returns the lease, or undefined while somebody else holds it. */', 'somebody'],
])('reports %s', (line, word) => {
  expect(riddlesInComments(`const first = 1;\n${line}`)).toEqual([{ line: 2, word }]);
});

test.each([
  '/** Returns what the provider answered. */',
  "const name = 'nobody';",
  "const url = 'https://nobody.example';",
  '  */',
  'const area = width * nobody;',
])('accepts %s', (line) => {
  expect(riddlesInComments(line)).toEqual([]);
});

test('skips headings that ask, and code blocks, in prose', () => {
  const text = '## What an operator sees\n\n```sh\nsu nobody\n```\n\nAnybody may call it.\n';
  expect(riddlesInProse(text)).toEqual([{ line: 7, word: 'Anybody' }]);
});
