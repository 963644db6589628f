import { test } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { playObjects } from './play-objects.ts';

const SIZE = {
  objects: sizeOf('objects', { short: 40, long: 2_000 }),
  from: sizeOf('from', { short: 1, long: 1 }),
  rounds: sizeOf('rounds', { short: 2, long: 12 }),
  copies: sizeOf('copies', { short: 1, long: 4 }),
};

test('distorted objects of Graph cost no other, and come back once they can be read', { timeout: 7_200_000 }, () =>
  playObjects('microsoft', SIZE),
);
