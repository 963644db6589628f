import type { ProviderClients } from '../applications/provider-clients.ts';
import type { AccountRow, Clock, Logger, Random, Sealer, Storage } from '../ports/index.ts';
import { createByteSealer, createTokenSealer, type Secrets } from '../runtime/index.ts';
import type { AccountService, AuthorizationService } from '../services.ts';
import { type AccountAccess, createAccountAccess } from './account-access.ts';
import { createAccountConnection } from './account-connection.ts';
import { createAccountMessages } from './account-messages.ts';
import { createAccountRemoval } from './account-removal.ts';
import { createAccountService } from './account-service.ts';
import { createAuthorizationService } from './authorization-service.ts';
import { createCredentialVault } from './credential-vault.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import { createTokenRefresh } from './token-refresh.ts';

export interface AccountRoom {
  readonly accounts: AccountService;
  readonly authorization: AuthorizationService;
  readonly access: AccountAccess;
  /** Gives up what is asked of token endpoints, after a short grace. */
  stop(): Promise<void>;
}

/** Puts the account services together. */
export function createAccountRoom(dependencies: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly sealer: Sealer;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly publicUrl: string | undefined;
  /** Waits until a call may be made for the account. @throws ProviderError rate-limited */
  readonly admit: (account: AccountRow, isBackground: boolean, signal: AbortSignal | undefined) => Promise<void>;
  readonly closeChannels: (account: AccountRow, signal: AbortSignal) => Promise<void>;
  /** Called when a message may have been enqueued. */
  readonly enqueued: () => void;
}): AccountRoom {
  const vault = createCredentialVault(dependencies.sealer);
  const messages = createAccountMessages(dependencies);
  const tokens = createTokenRefresh({ ...dependencies, vault, messages });
  const connection = createAccountConnection({ ...dependencies, vault, messages });
  const removal = createAccountRemoval({ ...dependencies, vault, messages });
  const pageSealer = createTokenSealer(dependencies.secrets, dependencies.random, 'page:accounts');
  const flowSealer = createByteSealer(dependencies.secrets, dependencies.random, 'authorization');
  return {
    accounts: createAccountService({ ...dependencies, tokens, vault, connection, removal, pageSealer }),
    authorization: createAuthorizationService({ ...dependencies, connection, flowSealer }),
    access: createAccountAccess({ ...dependencies, tokens }),
    stop: () => tokens.stop(),
  };
}
