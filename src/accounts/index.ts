export type { AccountAccess, ConnectedAccount } from './account-access.ts';
export type { AccountExpiry } from './account-expiry.ts';
export { viewAccount } from './account-view.ts';
export { composeAccountServices, composeAccountSessions } from './compose-accounts.ts';
export { noAccount, toPublicError, toPullError } from './provider-failure.ts';
export {
  createProviderRegistry,
  hasCredentials,
  isOAuth,
  type ProviderRegistry,
  providerPathOf,
} from './provider-registry.ts';
