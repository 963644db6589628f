import type { ProviderClients } from '../applications/index.ts';
import type { AuditTrail } from '../audit/index.ts';
import type { AccountService, AuthorizationService } from '../engine-interface.ts';
import type { CallNeed } from '../leases/index.ts';
import type { AccountRow, Clock, Logger, Random, Sealer, Storage, Telemetry } from '../ports/index.ts';
import { createByteSealer, createTokenSealer, type Secrets } from '../runtime/index.ts';
import { type AccountAccess, createAccountAccess } from './account-access.ts';
import { createAccountConnection } from './account-connection.ts';
import { createAccountEnding } from './account-ending.ts';
import { type AccountExpiry, createAccountExpiry } from './account-expiry.ts';
import { type AccountMessages, createAccountMessages } from './account-messages.ts';
import { type AccountRemoval, createAccountRemoval } from './account-removal.ts';
import { createAccountService } from './account-service.ts';
import { createAuthorizationService } from './authorization-service.ts';
import { createBrowserFlows } from './browser-flows.ts';
import { createCredentialProof } from './credential-proof.ts';
import { type CredentialVault, createCredentialVault } from './credential-vault.ts';
import { createGuessLimit } from './guess-limit.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import { createRenewals, type Renewals } from './renewals.ts';
import { createSignInCheck } from './sign-in-check.ts';
import { createTokenRefresh, type TokenRefresh } from './token-refresh.ts';

/** Access to connected accounts, and the parts that the account services share with it. */
export interface AccountSessions {
  readonly access: AccountAccess;
  readonly tokens: TokenRefresh;
  readonly renewals: Renewals;
  readonly vault: CredentialVault;
  readonly messages: AccountMessages;
}

/** Composes what other modules need of accounts: sessions with providers, tokens refreshed under a lease. */
export function composeAccountSessions(dependencies: {
  readonly storage: Storage;
  readonly audit: AuditTrail;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Waits until a call may be made for the account. @throws ProviderError rate-limited */
  readonly admit: (account: AccountRow, need: CallNeed, signal: AbortSignal | undefined) => Promise<void>;
  /** Called when a message may have been enqueued. */
  readonly enqueued: () => void;
  readonly telemetry: Telemetry;
}): AccountSessions {
  const vault = createCredentialVault(dependencies.sealer);
  const messages = createAccountMessages(dependencies);
  const renewals = createRenewals(dependencies);
  const ending = createAccountEnding({ ...dependencies, messages });
  const tokens = createTokenRefresh({ ...dependencies, vault, messages, renewals, ending });
  const proof = createCredentialProof({ ...dependencies, vault, renewals, ending });
  return { access: createAccountAccess({ ...dependencies, tokens, proof }), tokens, renewals, vault, messages };
}

/** Composes the account and authorization services of the interface. */
export function composeAccountServices(dependencies: {
  readonly sessions: AccountSessions;
  readonly storage: Storage;
  readonly audit: AuditTrail;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly publicUrl: string | undefined;
  readonly closeChannels: (account: AccountRow, signal: AbortSignal) => Promise<void>;
}): {
  readonly accounts: AccountService;
  readonly authorization: AuthorizationService;
  readonly removal: AccountRemoval;
  readonly expiry: AccountExpiry;
} {
  const { sessions, secrets, random } = dependencies;
  const connection = createAccountConnection({ ...dependencies, ...sessions });
  const removal = createAccountRemoval({ ...dependencies, ...sessions });
  const guesses = createGuessLimit(dependencies.storage.leases, secrets);
  const signIns = createSignInCheck({ ...dependencies, guesses });
  const pageSealer = createTokenSealer(secrets, random, 'page:accounts');
  const flowSealer = createByteSealer(secrets, random, 'authorization');
  const flows = createBrowserFlows({ ...dependencies, flowSealer });
  return {
    accounts: createAccountService({ ...dependencies, ...sessions, connection, signIns, removal, pageSealer }),
    authorization: createAuthorizationService({ ...dependencies, connection, signIns, flows }),
    removal,
    expiry: createAccountExpiry({ ...dependencies, ...sessions }),
  };
}
