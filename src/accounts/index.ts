export type { AccountAccess, ConnectedAccount } from './account-access.ts';
export { composeAccountServices, composeAccountSessions } from './compose-accounts.ts';
export { noAccount, toPublicError } from './provider-failure.ts';
export { createProviderRegistry, type ProviderRegistry, providerPathOf } from './provider-registry.ts';
