import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filterOf } from '../../adapters/dashboard/page/pages/audit/filter-of.ts';

const decision = readFileSync(new URL('../../docs/decisions/0016-administration.md', import.meta.url), 'utf8');
/** Actions of the decision that are written out. */
const ACTIONS = [...(/^Actions: ([\s\S]*?)\n\n/m.exec(decision)?.[1] ?? '').matchAll(/`([a-z][A-Za-z.]+)`/g)].map(
  ([, action = '']) => action,
);

it('takes every action of the audit log for one', () => {
  expect(ACTIONS).toContain('credentials.read');
  expect([...ACTIONS, 'account.reconnectLink.created'].filter((action) => filterOf(action) !== 'action')).toEqual([]);
});

it.each([
  ['key_4tqNKmSx2rYl', 'actorId'],
  ['acc_4tqNKmSx2rYl', 'target'],
  ['mary@ops.example', 'actorId'],
  ['mary', 'actorId'],
])('takes %s for the filter %s', (text, filter) => {
  expect(filterOf(text)).toBe(filter);
});
