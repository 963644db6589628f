import { sqlite } from '@kalends/sqlite';
import { test } from 'vitest';
import { checkMirrorAgainstModel } from '../../sql/test/mirror-property.ts';

test('any history of the mirror reads as a copy of every revision would', async () => {
  await checkMirrorAgainstModel(async () => {
    const storage = sqlite({ path: ':memory:' });
    await storage.open();
    const times = { createdAt: 1, updatedAt: 1 };
    await storage.applications.create({ id: 'app_1', name: 'Tenant', redirectUrls: [], ...times });
    await storage.accounts.save(
      {
        id: 'acc_1',
        applicationId: 'app_1',
        providerType: 'PROVIDER_A',
        providerConfigId: 'prv_1',
        providerAccountId: null,
        email: 'ada@example.com',
        externalId: null,
        authorizedScopes: [],
        status: 'ACTIVE',
        ...times,
      },
      {
        id: 'crd_1',
        applicationId: 'app_1',
        accountId: 'acc_1',
        wrappedKey: '',
        sealedAccessToken: '',
        sealedRefreshToken: '',
        expiresAt: 1,
        status: 'ACTIVE',
        version: 1,
        ...times,
      },
    );
    return storage;
  }, 150);
});
