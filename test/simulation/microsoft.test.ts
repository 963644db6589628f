import { test } from 'vitest';
import { runSeeds } from './run-seeds.ts';

test('the mirror equals Graph after whatever happened', { timeout: 86_400_000 }, () => runSeeds('microsoft'));
