import { test } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { runSeeds } from './run-seeds.ts';

const SEEDS = { from: sizeOf('from', { short: 1, long: 1 }), count: sizeOf('seeds', { short: 20, long: 80 }) };

test('the mirror equals Google after whatever happened', { timeout: 86_400_000 }, () => runSeeds('google', SEEDS));
