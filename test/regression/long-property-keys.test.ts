import { expect, it } from 'vitest';
import { eventUpdate, parseInput } from '../../src/model/index.ts';

it('names the rule that a key of an extended property breaks', () => {
  const key = 'a'.repeat(45);
  const body = { privateExtendedProperties: { [key]: 'x' } };
  const path = `privateExtendedProperties.${key}`;
  expect(() => parseInput(eventUpdate, body)).toThrow(`${path}: the key must be at most 44 characters`);
});
