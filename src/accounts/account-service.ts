import type { ProviderClients } from '../applications/index.ts';
import { type AuditTrail, actorOf } from '../audit/index.ts';
import type { AccountService, Caller } from '../engine-interface.ts';
import {
  type AccountStatus,
  accountListQuery,
  accountUpsert,
  type Credentials,
  PAGE_SIZE,
  pageSizeOf,
  parseInput,
  unreadableListQuery,
} from '../model/index.ts';
import { type AccountRow, type Clock, KalendsError, ProviderError, type Storage } from '../ports/index.ts';
import { createPageTokens, type TokenSealer } from '../runtime/index.ts';
import type { AccountConnection } from './account-connection.ts';
import type { AccountRemoval } from './account-removal.ts';
import { upsertAccount } from './account-upsert.ts';
import { viewAccount, viewSignIn, viewTokens } from './account-view.ts';
import type { CredentialVault } from './credential-vault.ts';
import { noAccount, providerFailure } from './provider-failure.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import type { SignInCheck } from './sign-in-check.ts';
import type { TokenRefresh } from './token-refresh.ts';
import { createUnreadableListing } from './unreadable-listing.ts';

/** An access token that is handed out has at least this left. */
const HANDED_OUT_LIFE_MS = 5 * 60_000;

const STATUS_OF_FILTER = { active: 'ACTIVE', expired: 'EXPIRED' } as const;

interface AccountDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly tokens: TokenRefresh;
  readonly vault: CredentialVault;
  readonly connection: AccountConnection;
  readonly signIns: SignInCheck;
  readonly removal: AccountRemoval;
  readonly audit: AuditTrail;
  /** Purpose `page:accounts`. */
  readonly pageSealer: TokenSealer;
}

type AccountFilters = {
  readonly search?: string;
  readonly statusFilter?: keyof typeof STATUS_OF_FILTER;
  readonly providerType?: string;
};

/** End user accounts: spec §4.1. */
export function createAccountService(dependencies: AccountDependencies): AccountService {
  const { storage, removal } = dependencies;
  const pageTokens = createPageTokens<AccountFilters>(dependencies.pageSealer);
  const unreadable = createUnreadableListing(storage.mirror, dependencies.pageSealer);

  const get = async (caller: Caller, accountId: string): Promise<AccountRow> => {
    const row = await storage.accounts.find(caller.applicationId, accountId);
    if (row === undefined) throw noAccount();
    return row;
  };

  return {
    async list(caller, query = {}) {
      const parsed = parseInput(accountListQuery, query);
      const limit = pageSizeOf(parsed, PAGE_SIZE.accounts);
      const { filters, after } = pageTokens.resolve(caller.applicationId, parsed.pageToken, filtersOf(parsed));
      const status = statusOf(filters);
      const rows = await storage.accounts.list(caller.applicationId, {
        ...(filters.search === undefined ? {} : { search: filters.search }),
        ...(status === undefined ? {} : { status }),
        ...(filters.providerType === undefined ? {} : { providerType: filters.providerType }),
        ...(after === undefined ? {} : { after }),
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const more = rows.length > limit && last !== undefined;
      return {
        data: page.map(viewAccount),
        nextPageToken: more ? pageTokens.seal(caller.applicationId, filters, last) : null,
      };
    },

    get: async (caller, accountId) => viewAccount(await get(caller, accountId)),

    async listUnreadable(caller, accountId, query = {}) {
      const { pageToken, ...sizes } = parseInput(unreadableListQuery, query);
      await get(caller, accountId);
      return await unreadable.list(
        caller.applicationId,
        accountId,
        pageToken,
        pageSizeOf(sizes, PAGE_SIZE.unreadableObjects),
      );
    },

    async getCredentials(caller, accountId) {
      if (caller.canReadCredentials === false) {
        throw new KalendsError('Forbidden', 'This API key may not read credentials.');
      }
      const credentials = await currentCredentials(dependencies, await get(caller, accountId));
      const { applicationId } = caller;
      const act = { applicationId, action: 'credentials.read', target: accountId };
      await storage.audit.append(dependencies.audit(actorOf(caller), act));
      return credentials;
    },

    async upsert(caller, body) {
      const { account, created } = await upsertAccount(dependencies, caller, parseInput(accountUpsert, body));
      return { account: viewAccount(account), created };
    },

    delete: async (caller, accountId) => removal.remove(caller, await get(caller, accountId)),
  };
}

function filtersOf(query: AccountFilters): AccountFilters {
  return {
    ...(query.search === undefined ? {} : { search: query.search }),
    ...(query.statusFilter === undefined ? {} : { statusFilter: query.statusFilter }),
    ...(query.providerType === undefined ? {} : { providerType: query.providerType }),
  };
}

function statusOf({ statusFilter }: AccountFilters): AccountStatus | undefined {
  return statusFilter && STATUS_OF_FILTER[statusFilter];
}

/** The credentials, of an account with OAuth with an access token that lives on for a while; of an EXPIRED one as they are. */
async function currentCredentials(
  { storage, tokens, vault, clock }: AccountDependencies,
  account: AccountRow,
): Promise<Credentials> {
  const isRefreshed = account.status === 'ACTIVE' && account.providerConfigId !== null;
  const failure = isRefreshed ? await failureOfRefresh(tokens, account) : undefined;
  const row = await storage.accounts.findCredential(account.applicationId, account.id);
  if (row === undefined) throw noAccount();
  if (row.kind !== 'oauth') return viewSignIn(row, await vault.openCredentials(row));
  // While the provider is down, a token that still lives is better than none.
  const isOfUse = row.status !== 'ACTIVE' || row.expiresAt > clock.now();
  if (failure !== undefined && !isOfUse) throw providerFailure(failure);
  return viewTokens(row, await vault.openTokens(row));
}

/** Refreshes the stored access token if it is about to end; resolves with what the provider had against it. */
async function failureOfRefresh(tokens: TokenRefresh, account: AccountRow): Promise<ProviderError | undefined> {
  try {
    await tokens.obtain(account, { minimumLifeMs: HANDED_OUT_LIFE_MS });
    return undefined;
  } catch (error) {
    if (ProviderError.isInstance(error)) return error;
    throw error;
  }
}
