import { storageConformance } from '@kalends/conformance';
import { test } from 'vitest';
import { createPooledStorage } from './pooled-storage.ts';

// The races of the suite within one handle: its calls share connections, and those of one turn a transaction.
storageConformance({ test, createStorage: async (clock) => (await createPooledStorage(clock)).storage });
