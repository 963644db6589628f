import { setMaxListeners } from 'node:events';
import type { ProviderClients } from '../applications/index.ts';
import { type AuditTrail, SYSTEM } from '../audit/index.ts';
import { createHeldLeases } from '../leases/index.ts';
import {
  type AccountRow,
  type Clock,
  type CredentialRow,
  type Logger,
  ProviderError,
  type Storage,
  type Telemetry,
  type TokenGrant,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import type { AccountMessages } from './account-messages.ts';
import type { CredentialVault } from './credential-vault.ts';
import { noAccount } from './provider-failure.ts';
import type { ProviderRegistry } from './provider-registry.ts';

/** A token with less than this left is refreshed before it is used. */
const MINIMUM_LIFE_MS = 60_000;
/** How often a process looks whether the one that holds the lease is done. */
const WAIT_STEP_MS = 200;
const LONGEST_WAIT_MS = 30_000;
const MAX_ROUNDS = 5;
/** How long a stopping process waits for refreshes under way. */
const STOP_GRACE_MS = 2_000;

/** The stored credentials with their tokens opened. */
export interface OpenCredential {
  readonly row: CredentialRow;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Access tokens of accounts, refreshed when they are about to end. */
export interface TokenRefresh {
  /**
   * Returns credentials whose access token has at least `minimumLifeMs` left (or has just been refreshed) and is not
   * `refused`. `known` are credentials that the caller obtained before: the storage is not read while they still do.
   * The provider is asked once, however many callers and processes ask at the same time.
   * A dead grant expires the account; exactly one of the callers does that.
   * @throws ProviderError invalid-grant when the grant is dead; no other reason expires the account
   * @throws KalendsError NotFound when the account has been deleted meanwhile
   */
  obtain(
    account: AccountRow,
    options?: {
      readonly minimumLifeMs?: number;
      readonly refused?: string | undefined;
      readonly known?: OpenCredential | undefined;
    },
  ): Promise<OpenCredential>;
  /** Lets refreshes under way end, briefly: a rotated token that is thrown away may be the last one. Then gives them up. */
  stop(): Promise<void>;
}

export function createTokenRefresh(dependencies: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly vault: CredentialVault;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly messages: AccountMessages;
  readonly audit: AuditTrail;
  readonly telemetry: Telemetry;
}): TokenRefresh {
  const { storage, registry, clients, vault, clock, logger, messages, audit, telemetry } = dependencies;
  const leases = createHeldLeases(storage.leases, { clock, logger });
  const flights = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  // Each of many refreshes at the same time listens to it: that is no leak.
  setMaxListeners(0, stopping.signal);

  /** The work's outcome, or `unavailable` as soon as the process gives up waiting, whether the work heeds it or not. */
  const untilStopped = async <Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    const { signal } = stopping;
    const finished = new AbortController();
    const givenUp = new Promise<never>((_resolve, reject) => {
      const giveUp = () => reject(new ProviderError('unavailable', 'The engine is stopping.'));
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true, signal: finished.signal });
    });
    try {
      return await Promise.race([givenUp, work(signal)]);
    } finally {
      finished.abort();
    }
  };

  const read = async (account: AccountRow): Promise<OpenCredential> => {
    const row = await storage.accounts.findCredential(account.applicationId, account.id);
    if (row === undefined) throw noAccount();
    if (row.status !== 'ACTIVE') throw deadGrant();
    return { row, ...(await vault.open(row)) };
  };

  /** Asks the provider and stores the answer, unless the credentials have changed since `seen` was read. */
  const refresh = async (account: AccountRow, seen: OpenCredential): Promise<void> => {
    const configured = await clients.findById(account.applicationId, account.providerConfigId);
    if (configured === undefined) throw new ProviderError('operator', 'The OAuth client of the account is gone.');
    const { authorization } = registry.getOAuth(account.providerType);
    const seal = await vault.sealerOf(seen.row);
    let grant: TokenGrant;
    try {
      grant = await untilStopped((signal) =>
        authorization.refresh({
          client: configured.client,
          refreshToken: seen.refreshToken,
          scopes: account.authorizedScopes,
          signal,
        }),
      );
    } catch (error) {
      if (ProviderError.isInstance(error) && error.reason === 'invalid-grant') {
        // Only if these very credentials are still the stored ones: a reconnect meanwhile must not be undone.
        const { applicationId, id } = account;
        const expired = () => audit(SYSTEM, { applicationId, action: 'account.expired', target: id });
        if (
          await storage.accounts.expire(applicationId, id, seen.row.version, clock.now(), messages.changed, expired)
        ) {
          messages.enqueued();
          telemetry.count('kalends_accounts_expired_total', { provider: account.providerType });
          logger.warn('account expired', { accountId: id, providerType: account.providerType });
          throw error;
        }
        return;
      }
      logger.warn('token refresh failed', { accountId: account.id, error: describeError(error) });
      throw error;
    }
    const sealed = seal({
      accessToken: grant.accessToken,
      refreshToken: grant.refreshToken ?? seen.refreshToken,
    });
    const { scopes } = grant;
    const replaced = grant.replacesScopes === true && scopes !== undefined ? { authorizedScopes: scopes } : {};
    const tokens = { ...sealed, ...replaced, expiresAt: grant.expiresAt, updatedAt: clock.now() };
    const { applicationId, id } = account;
    await storage.accounts.replaceTokens(applicationId, id, seen.row.version, tokens, messages.changed);
    if (replaced.authorizedScopes !== undefined) messages.enqueued();
  };

  /** Refreshes under the lease, or waits for the process that holds it. Afterwards the stored credentials are newer than `seen`. */
  const refreshExclusively = async (account: AccountRow, seen: OpenCredential): Promise<void> => {
    const name = `refresh:${account.id}`;
    const giveUpAt = clock.now() + LONGEST_WAIT_MS;
    for (;;) {
      const lease = await leases.claim(name);
      if (lease !== undefined) {
        return await leases.during(lease, async () => {
          const current = await read(account);
          if (current.row.version === seen.row.version) await refresh(account, current);
        });
      }
      if (clock.now() >= giveUpAt) throw new ProviderError('timeout', 'Another process is still refreshing the token.');
      await untilStopped((signal) => clock.sleep(WAIT_STEP_MS, signal));
      if ((await read(account)).row.version !== seen.row.version) return;
    }
  };

  const joinFlight = (account: AccountRow, seen: OpenCredential): Promise<void> => {
    const running = flights.get(account.id);
    if (running !== undefined) return running;
    const flight = refreshExclusively(account, seen).finally(() => flights.delete(account.id));
    flights.set(account.id, flight);
    return flight;
  };

  return {
    async obtain(account, { minimumLifeMs = MINIMUM_LIFE_MS, refused, known } = {}) {
      const isAlive = ({ row }: OpenCredential) => row.expiresAt - clock.now() >= minimumLifeMs;
      if (known !== undefined && known.accessToken !== refused && isAlive(known)) return known;
      let credential = await read(account);
      const firstVersion = credential.row.version;
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        // A token that was refreshed meanwhile is taken as it is: some providers issue tokens of under a minute.
        const isUsable = credential.row.version > firstVersion || isAlive(credential);
        if (isUsable && credential.accessToken !== refused) return credential;
        await joinFlight(account, credential);
        credential = await read(account);
      }
      throw new ProviderError('unauthorized', 'The provider keeps issuing an access token that was refused.');
    },
    async stop() {
      const settled = Promise.allSettled(flights.values());
      const ended = new AbortController();
      const grace = clock.sleep(STOP_GRACE_MS, ended.signal).catch(() => undefined);
      await Promise.race([settled, grace]);
      ended.abort();
      stopping.abort(new Error('The engine is stopping.'));
      await Promise.allSettled(flights.values());
    },
  };
}

const deadGrant = () => new ProviderError('invalid-grant', 'The refresh token is no longer valid.');
