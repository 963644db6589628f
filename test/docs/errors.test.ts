import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_STATUS } from '../../src/errors.ts';

it('documents every error code with its status, and no other', () => {
  const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(([, status, code]) => [code, Number(status)]);
  expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS);
  expect(rows).toHaveLength(Object.keys(ERROR_STATUS).length);
});
