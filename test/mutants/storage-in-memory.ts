import { storageConformance } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { test } from 'vitest';

storageConformance({ test, createStorage: async (clock) => sqlite({ path: ':memory:', clock }) });
