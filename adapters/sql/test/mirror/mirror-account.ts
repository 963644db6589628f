import type { Storage } from 'kalends/ports';

/** Opens a storage over an empty database and creates the account whose mirror the property is about. */
export async function openWithAccount(storage: Storage): Promise<Storage> {
  await storage.open();
  const times = { createdAt: 1, updatedAt: 1 };
  await storage.applications.create({ id: 'app_1', name: 'Tenant', redirectUrls: [], ...times, deletedAt: null });
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
      kind: 'oauth',
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
}
