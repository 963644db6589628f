import type { AuditTrail } from '../audit/index.ts';
import type { Actor } from '../engine-interface.ts';
import {
  type AccountCredentials,
  type AccountRow,
  type Clock,
  type CredentialRow,
  KalendsError,
  type OAuthProvider,
  type ProviderIdentity,
  type Random,
  type Storage,
  type TokenGrant,
} from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import type { AccountMessages } from './account-messages.ts';
import type { CredentialVault, SecretsSealer } from './credential-vault.ts';

const MAX_ROUNDS = 5;

/** Secrets of a new sign-in, with which the account works from then on. */
export type ConnectionMeans =
  | {
      readonly kind: 'oauth';
      readonly providerConfigId: string;
      readonly grant: TokenGrant;
      /** The refresh token that the grant was made with, kept when the answer had no new one. */
      readonly refreshToken: string | undefined;
      /** Used when the provider's answer named no scopes. */
      readonly authorizedScopes: readonly string[] | undefined;
    }
  | { readonly kind: 'credentials'; readonly credentials: AccountCredentials };

/** A sign-in and the identity behind it. */
export interface ConnectionInput {
  readonly applicationId: string;
  readonly providerType: string;
  readonly identity: ProviderIdentity;
  readonly means: ConnectionMeans;
  /** Undefined keeps what is stored, null clears it. */
  readonly externalId: string | null | undefined;
  /** Who connects it, for the audit log. */
  readonly by: Actor;
}

export interface AccountConnection {
  /** Resolves when an account can be connected, as far as the engine knows: asked before a code or token is used up. */
  ready(): Promise<void>;
  /**
   * Creates the account of this mailbox, or gives the existing one these credentials: ACTIVE under the same id.
   * @throws MissingRefreshToken when neither the provider nor the store has one that works
   * @throws KalendsError Conflict when two accounts claim the mailbox, or its account is another person's
   */
  connect(input: ConnectionInput): Promise<{ readonly account: AccountRow; readonly created: boolean }>;
  /**
   * Returns the address that a sign-in proves: that of the identity, or, where the provider does not vouch for it, the one that the
   * person's account is stored with; undefined when there is no account.
   */
  provenAddress(
    input: Pick<ConnectionInput, 'applicationId' | 'providerType' | 'identity'>,
  ): Promise<string | undefined>;
}

/** The provider gave no refresh token (it does so at the first consent only), and none is stored. */
export class MissingRefreshToken extends Error {
  constructor() {
    super('The provider granted no refresh token. Send the user again with prompt=consent.');
    this.name = 'MissingRefreshToken';
  }
}

export function createAccountConnection(dependencies: {
  readonly storage: Storage;
  readonly vault: CredentialVault;
  readonly clock: Clock;
  readonly random: Random;
  readonly messages: AccountMessages;
  readonly audit: AuditTrail;
}): AccountConnection {
  const { storage, vault, clock, random, messages, audit } = dependencies;

  /** The stored refresh token, if the account still works with it. */
  const storedRefreshToken = async (account: AccountRow | undefined): Promise<string | undefined> => {
    if (account === undefined || account.status !== 'ACTIVE') return undefined;
    const credential = await storage.accounts.findCredential(account.applicationId, account.id);
    if (credential?.status !== 'ACTIVE' || credential.kind !== 'oauth') return undefined;
    return (await vault.openTokens(credential)).refreshToken;
  };

  /** Returns the secrets to store. @throws MissingRefreshToken */
  const secretsOf = async (means: ConnectionMeans, existing: AccountRow | undefined) => {
    if (means.kind === 'credentials') return (seal: SecretsSealer) => seal.credentials(means.credentials);
    const { accessToken, expiresAt, refreshToken: granted } = means.grant;
    const refreshToken = granted ?? means.refreshToken ?? (await storedRefreshToken(existing));
    if (refreshToken === undefined) throw new MissingRefreshToken();
    return (seal: SecretsSealer) => ({ ...seal.tokens({ accessToken, refreshToken }), expiresAt });
  };

  const buildCredential = async (
    account: AccountRow,
    secrets: Awaited<ReturnType<typeof secretsOf>>,
  ): Promise<CredentialRow> => {
    const owner = { applicationId: account.applicationId, accountId: account.id };
    const { wrappedKey, seal } = await vault.createKey(owner);
    return {
      id: createId(random, 'crd'),
      ...owner,
      wrappedKey,
      ...secrets(seal),
      status: 'ACTIVE',
      version: 1,
      createdAt: account.updatedAt,
      updatedAt: account.updatedAt,
    };
  };

  return {
    ready: () => vault.ready(),
    async provenAddress({ applicationId, providerType, identity }) {
      if (!isUnproven(identity)) return identity.email;
      const existing = await storage.accounts.findByIdentity(applicationId, providerType, identity);
      return existing?.providerAccountId === identity.providerAccountId ? existing.email : undefined;
    },
    async connect(input) {
      const { applicationId, providerType, identity, means } = input;
      // Two requests may connect one mailbox at once: the loser finds the winner's account in its next round.
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const existing = await storage.accounts.findByIdentity(applicationId, providerType, identity);
        if (existing !== undefined && isAnotherPerson(existing, identity)) throw addressTaken();
        const secrets = await secretsOf(means, existing);
        const account = buildAccount(input, existing, existing?.id ?? createId(random, 'acc'), clock.now());
        const credential = await buildCredential(account, secrets);
        const connected = (before: AccountRow | undefined) =>
          audit(input.by, {
            applicationId,
            action: before === undefined ? 'account.connected' : 'account.reconnected',
            target: account.id,
          });
        if (await storage.accounts.save(account, credential, messages.connected, connected)) {
          messages.enqueued();
          return { account, created: existing === undefined };
        }
      }
      throw new KalendsError('Conflict', 'Another account of the application has this e-mail address or provider id.');
    },
  };
}

function buildAccount(input: ConnectionInput, existing: AccountRow | undefined, id: string, now: number): AccountRow {
  const { means } = input;
  const isOAuth = means.kind === 'oauth';
  const isKept = existing !== undefined && isUnproven(input.identity);
  // The provider's word counts for the address that it names: 0.1.0 stores no mark, and takes off that of a later version.
  const isElsewhere = isKept && !sameMailbox(existing.email, input.identity.email);
  const isVerified = isElsewhere ? existing.isEmailVerified !== false : !isUnproven(input.identity);
  const scopes = isOAuth ? (means.grant.scopes ?? means.authorizedScopes ?? existing?.authorizedScopes) : undefined;
  return {
    id,
    applicationId: input.applicationId,
    providerType: input.providerType,
    providerConfigId: isOAuth ? means.providerConfigId : null,
    providerAccountId: input.identity.providerAccountId ?? existing?.providerAccountId ?? null,
    email: isKept ? existing.email : input.identity.email,
    ...(isVerified ? {} : { isEmailVerified: false }),
    externalId: input.externalId === undefined ? (existing?.externalId ?? null) : input.externalId,
    authorizedScopes: scopes ?? [],
    status: 'ACTIVE',
    createdAt: existing?.createdAt ?? now,
    updatedAt: now,
  };
}

/** Whether an account is not the person's: the address has changed hands, or the provider does not vouch for it. */
function isAnotherPerson(existing: AccountRow, identity: ProviderIdentity): boolean {
  if (isUnproven(identity)) return existing.providerAccountId !== identity.providerAccountId;
  if (existing.providerAccountId === null || identity.providerAccountId === null) return false;
  return existing.providerAccountId !== identity.providerAccountId;
}

/** Whether the person is known, and the address is not proven to be theirs. Without a person the application's word has to do. */
function isUnproven({ providerAccountId, isEmailVerified }: ProviderIdentity): boolean {
  return isEmailVerified === false && providerAccountId !== null;
}

const addressTaken = () =>
  new KalendsError(
    'Conflict',
    'The application has an account with this e-mail address that belongs to another person at the provider, ' +
      'or the provider does not vouch for the address. Delete that account first if the address has changed hands.',
  );

/** Returns the identity behind a grant: from its id_token, else from the provider. @throws ProviderError */
export async function identifyGrant(provider: OAuthProvider, grant: TokenGrant): Promise<ProviderIdentity> {
  if (grant.identity !== undefined) return grant.identity;
  const answered = await provider.authorization.identify(grant.accessToken);
  return { ...answered, providerAccountId: answered.providerAccountId ?? grant.providerAccountId ?? null };
}

/** Whether two addresses are those of one mailbox. */
export function sameMailbox(left: string, right: string): boolean {
  return normalMailbox(left) === normalMailbox(right);
}

/** Returns a form that all addresses of a mailbox share: without regard to case and, at Gmail, to dots and the older domain. */
export function normalMailbox(address: string): string {
  const folded = address.trim().toLowerCase();
  const [, local = '', domain] = /^([^@]*)@(gmail|googlemail)\.com$/.exec(folded) ?? [];
  return domain === undefined ? folded : `${local.replaceAll('.', '')}@gmail.com`;
}
