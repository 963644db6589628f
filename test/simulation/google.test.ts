import { test } from 'vitest';
import { runSeeds } from './run-seeds.ts';

test('the mirror equals Google after whatever happened', { timeout: 86_400_000 }, () => runSeeds('google'));
