import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIVE_VALIDATION, liveValidationTable } from '../src/live-validation.ts';

test('the README shows the table of live validations', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(liveValidationTable());
});

test('each operation is listed once', () => {
  const names = LIVE_VALIDATION.map(({ provider, operation }) => `${provider} ${operation}`);
  expect(new Set(names).size).toBe(names.length);
});
