import { storageConformance } from '@kalends/conformance';
import type { Storage } from 'kalends/ports';
import { expect, test } from 'vitest';

test('a case that needs a store which a storage lacks names it', async () => {
  const cases: (() => Promise<void>)[] = [];
  const lacking = { open: async () => undefined, close: async () => undefined } as unknown as Storage;
  storageConformance({ test: (_name, run) => cases.push(run), createStorage: async () => lacking });
  const begun = { ...lacking, applications: { create: async () => undefined } } as unknown as Storage;
  storageConformance({ test: (_name, run) => cases.push(run), createStorage: async () => begun });
  await expect(cases[0]?.()).rejects.toThrow('the storage has no store applications');
  await expect(cases.at(-1)?.()).rejects.toThrow('the storage has no store accounts');
});
