import {
  type AccountNotice,
  type AccountRow,
  type AccountStore,
  type CredentialRow,
  KalendsError,
} from 'kalends/ports';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { holdApplication } from '../applications/applications.ts';
import { writeAudit } from '../applications/audit-log.ts';
import { deleteFeedsOf } from '../applications/feeds.ts';
import type { SqlContext } from '../context.ts';
import { deleteAccountCollections } from '../mirror/collection-removal.ts';
import type { Tables } from '../schema/schema.ts';
import { noteChange } from '../statements/commit-feed.ts';
import { statement } from '../statements/statement.ts';
import { endLease } from '../sync/leases.ts';
import { setActive } from '../sync/schedule.ts';
import { enqueueMessage } from '../webhooks/messages.ts';
import { containsText } from './account-search.ts';
import { emailKeyOf, foldCase, isUnverified } from './email-key.ts';

export function accountStore(context: SqlContext): AccountStore {
  const { database, reader, dialect } = context;
  return {
    ...accountQueries(context),
    async save(account, credential, announce, audit) {
      try {
        return await dialect.transaction(database, async (transaction) => {
          const saved = await save(context, transaction, account, credential);
          if (saved === undefined) return false;
          noteStatus(transaction, saved.before, account);
          await enqueueNotices(context, transaction, account, announce?.(saved.before, account));
          await writeAudit(transaction, audit?.(saved.before, account));
          return true;
        });
      } catch (error) {
        // Another transaction took the identity between our read and our write.
        if (dialect.isUniqueViolation(error)) return false;
        throw error;
      }
    },
    async findCredential(applicationId, accountId) {
      const run = statement(dialect, reader);
      const [row] = await run<Selectable<Tables['kalends_credential']>>`
        select * from kalends_credential where account_id = ${accountId} and application_id = ${applicationId}`;
      return row && toCredential(row);
    },
    async replaceTokens(applicationId, accountId, expectedVersion, tokens, announce) {
      const { authorizedScopes, updatedAt } = tokens;
      const replace = (within: Kysely<Tables>) =>
        replaceTokens(within, applicationId, accountId, expectedVersion, tokens);
      if (authorizedScopes === undefined) return await replace(database);
      return await dialect.transaction(database, async (transaction) => {
        // The account before its credentials, as everywhere: two transactions would wait for each other.
        const account = await transaction
          .selectFrom('kalends_account')
          .selectAll()
          .where('application_id', '=', applicationId)
          .where('id', '=', accountId)
          .modifyEnd(sql.raw(dialect.forUpdate))
          .executeTakeFirst();
        if (account === undefined || !(await replace(transaction))) return false;
        await transaction
          .updateTable('kalends_account')
          .set({ authorized_scopes: JSON.stringify(authorizedScopes), updated_at: updatedAt })
          .where('id', '=', accountId)
          .execute();
        const before = toAccount(account);
        await enqueueNotices(
          context,
          transaction,
          before,
          announce?.(before, { ...before, authorizedScopes, updatedAt }),
        );
        return true;
      });
    },
    async replaceCredentials(applicationId, accountId, expectedVersion, { sealedCredentials, updatedAt }) {
      const result = await database
        .updateTable('kalends_credential')
        .set({ sealed_credentials: sealedCredentials, updated_at: updatedAt, version: expectedVersion + 1 })
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .where('version', '=', expectedVersion)
        .where('kind', '<>', 'oauth')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    expire(applicationId, accountId, expectedVersion, at, announce, audit) {
      return dialect.transaction(database, async (transaction) => {
        const account = await transaction
          .selectFrom('kalends_account')
          .selectAll()
          .where('application_id', '=', applicationId)
          .where('id', '=', accountId)
          .where('status', '=', 'ACTIVE')
          .modifyEnd(sql.raw(dialect.forUpdate))
          .executeTakeFirst();
        if (account === undefined) return false;
        const expired = await transaction
          .updateTable('kalends_credential')
          .set({ status: 'EXPIRED', updated_at: at })
          .where('account_id', '=', accountId)
          .where('version', '=', expectedVersion)
          .executeTakeFirst();
        if (expired.numUpdatedRows === 0n) return false;
        await transaction
          .updateTable('kalends_account')
          .set({ status: 'EXPIRED', updated_at: at })
          .where('id', '=', accountId)
          .execute();
        await setActive(transaction, accountId, 'EXPIRED');
        const before = toAccount(account);
        const after: AccountRow = { ...before, status: 'EXPIRED', updatedAt: at };
        noteStatus(transaction, before, after);
        await enqueueNotices(context, transaction, before, announce?.(before, after));
        await writeAudit(transaction, audit?.(before, after));
        return true;
      });
    },
    delete(applicationId, accountId, announce, audit) {
      return dialect.transaction(database, async (transaction) => {
        const account = await transaction
          .selectFrom('kalends_account')
          .selectAll()
          .where('application_id', '=', applicationId)
          .where('id', '=', accountId)
          .modifyEnd(sql.raw(dialect.forUpdate))
          .executeTakeFirst();
        if (account === undefined) return false;
        await deleteAccountCollections(dialect, transaction, accountId);
        await endLease(transaction, dialect, `account:${accountId}`);
        await deleteFeedsOf(transaction, dialect, accountId);
        await transaction.deleteFrom('kalends_account').where('id', '=', accountId).execute();
        const before = toAccount(account);
        noteStatus(transaction, before, undefined);
        await enqueueNotices(context, transaction, before, announce?.(before, undefined));
        await writeAudit(transaction, audit?.(before, undefined));
        return true;
      });
    },
  };
}

function accountQueries({
  reader,
  dialect,
}: SqlContext): Pick<AccountStore, 'find' | 'findByIdentity' | 'hasGrant' | 'list' | 'count'> {
  return {
    async find(applicationId, accountId) {
      const run = statement(dialect, reader);
      const [row] = await run<Selectable<Tables['kalends_account']>>`
        select * from kalends_account where id = ${accountId} and application_id = ${applicationId}`;
      return row && toAccount(row);
    },
    async findByIdentity(applicationId, providerType, { providerAccountId, email }) {
      const rows = await reader
        .selectFrom('kalends_account')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('provider_type', '=', providerType)
        .where(({ eb, or }) =>
          or([eb('provider_account_id', '=', providerAccountId), eb('email_key', '=', foldCase(email))]),
        )
        .execute();
      const row =
        rows.find((candidate) => providerAccountId !== null && candidate.provider_account_id === providerAccountId) ??
        rows[0];
      return row && toAccount(row);
    },
    async hasGrant({ providerType, clientId, providerAccountId, email }) {
      const run = statement(dialect, reader);
      // SQLite does cross joins in the order of the text: clients are few, accounts many.
      const [found] = await run`
        select 1 from kalends_provider_config c cross join kalends_account a
        where a.provider_config_id = c.id and a.application_id = c.application_id and a.provider_type = c.provider_type
          and c.provider_type = ${providerType} and c.client_id = ${clientId} and a.status = 'ACTIVE'
          and (a.provider_account_id = ${providerAccountId} or a.email_key = ${foldCase(email)})
        limit 1`;
      return found !== undefined;
    },
    async list(applicationId, { search, status, providerType, externalId, after, limit }) {
      let query = reader
        .selectFrom('kalends_account')
        .selectAll()
        .where('application_id', '=', applicationId)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit);
      if (status !== undefined) query = query.where('status', '=', status);
      if (providerType !== undefined) query = query.where('provider_type', '=', providerType);
      if (externalId !== undefined) query = query.where('external_id', '=', externalId);
      if (search !== undefined) query = query.where(containsText(search));
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
        );
      }
      return (await query.execute()).map(toAccount);
    },
    async count(applicationId) {
      const { count } = await reader
        .selectFrom('kalends_account')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('application_id', '=', applicationId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

async function save(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  account: AccountRow,
  credential: CredentialRow,
): Promise<{ readonly before: AccountRow | undefined } | undefined> {
  const stored = await transaction
    .selectFrom('kalends_account')
    .selectAll()
    .where('id', '=', account.id)
    .modifyEnd(sql.raw(dialect.forUpdate))
    .executeTakeFirst();
  if (stored !== undefined && stored.application_id !== account.applicationId) {
    throw new KalendsError('Conflict', 'The account id is taken');
  }
  if (await isIdentityTaken(transaction, account)) return undefined;
  if (stored === undefined) {
    await holdApplication(transaction, dialect, account.applicationId);
    await transaction
      .insertInto('kalends_account')
      .values({
        id: account.id,
        application_id: account.applicationId,
        created_at: account.createdAt,
        ...accountColumns(account),
      })
      .execute();
    await transaction
      .insertInto('kalends_credential')
      .values({
        id: credential.id,
        application_id: account.applicationId,
        account_id: account.id,
        version: credential.version,
        created_at: credential.createdAt,
        ...credentialColumns(credential),
      })
      .execute();
    return { before: undefined };
  }
  await transaction.updateTable('kalends_account').set(accountColumns(account)).where('id', '=', account.id).execute();
  await setActive(transaction, account.id, account.status);
  await transaction
    .updateTable('kalends_credential')
    .set((eb) => ({ ...credentialColumns(credential), version: eb('version', '+', 1) }))
    .where('account_id', '=', account.id)
    .execute();
  return { before: toAccount(stored) };
}

async function replaceTokens(
  database: Kysely<Tables>,
  applicationId: string,
  accountId: string,
  expectedVersion: number,
  tokens: Parameters<AccountStore['replaceTokens']>[3],
): Promise<boolean> {
  const result = await database
    .updateTable('kalends_credential')
    .set({
      sealed_access_token: tokens.sealedAccessToken,
      sealed_refresh_token: tokens.sealedRefreshToken,
      expires_at: tokens.expiresAt,
      updated_at: tokens.updatedAt,
      version: expectedVersion + 1,
    })
    .where('application_id', '=', applicationId)
    .where('account_id', '=', accountId)
    .where('version', '=', expectedVersion)
    .where('kind', '=', 'oauth')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Notes the status of an account that a transaction has changed. */
function noteStatus(
  transaction: Transaction<Tables>,
  before: AccountRow | undefined,
  after: AccountRow | undefined,
): void {
  const account = after ?? before;
  if (account === undefined || before?.status === after?.status) return;
  const { applicationId, id: accountId } = account;
  noteChange(transaction, { kind: 'account-status', applicationId, accountId, status: after?.status ?? null });
}

/** Enqueues messages for every enabled endpoint of the account's application. */
async function enqueueNotices(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  { applicationId }: AccountRow,
  notices: readonly AccountNotice[] = [],
): Promise<void> {
  if (notices.length === 0) return;
  const endpoints = await transaction
    .selectFrom('kalends_target')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('account_id', 'is', null)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  for (const { id } of endpoints) {
    for (const notice of notices)
      await enqueueMessage(transaction, dialect, { applicationId, targetId: id, ...notice });
  }
}

async function isIdentityTaken(transaction: Transaction<Tables>, account: AccountRow): Promise<boolean> {
  const other = await transaction
    .selectFrom('kalends_account')
    .select('id')
    .where('application_id', '=', account.applicationId)
    .where('provider_type', '=', account.providerType)
    .where('id', '<>', account.id)
    .where(({ eb, or }) =>
      or([eb('provider_account_id', '=', account.providerAccountId), eb('email_key', '=', emailKeyOf(account))]),
    )
    .executeTakeFirst();
  return other !== undefined;
}

function accountColumns(account: AccountRow) {
  return {
    provider_type: account.providerType,
    provider_config_id: account.providerConfigId,
    provider_account_id: account.providerAccountId,
    email: account.email,
    email_key: emailKeyOf(account),
    external_id: account.externalId,
    external_key: account.externalId === null ? null : foldCase(account.externalId),
    authorized_scopes: JSON.stringify(account.authorizedScopes),
    status: account.status,
    updated_at: account.updatedAt,
  };
}

function credentialColumns(credential: CredentialRow) {
  const isToken = credential.kind === 'oauth';
  return {
    kind: credential.kind,
    wrapped_key: credential.wrappedKey,
    sealed_access_token: isToken ? credential.sealedAccessToken : null,
    sealed_refresh_token: isToken ? credential.sealedRefreshToken : null,
    sealed_credentials: isToken ? null : credential.sealedCredentials,
    expires_at: isToken ? credential.expiresAt : null,
    status: credential.status,
    updated_at: credential.updatedAt,
  };
}

export function toAccount(row: Selectable<Tables['kalends_account']>): AccountRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    providerType: row.provider_type,
    providerConfigId: row.provider_config_id,
    providerAccountId: row.provider_account_id,
    email: row.email,
    ...(isUnverified(row) ? { isEmailVerified: false } : {}),
    externalId: row.external_id,
    authorizedScopes: JSON.parse(row.authorized_scopes),
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toCredential(row: Selectable<Tables['kalends_credential']>): CredentialRow {
  const stored = {
    id: row.id,
    applicationId: row.application_id,
    accountId: row.account_id,
    wrappedKey: row.wrapped_key,
    status: row.status,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
  if (row.kind !== 'oauth') {
    return { ...stored, kind: row.kind, sealedCredentials: required(row.sealed_credentials) };
  }
  return {
    ...stored,
    kind: row.kind,
    sealedAccessToken: required(row.sealed_access_token),
    sealedRefreshToken: required(row.sealed_refresh_token),
    expiresAt: required(row.expires_at),
  };
}

/** Returns a column that rows of its kind always have. */
function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('A credential lacks a column of its kind');
  return value;
}
