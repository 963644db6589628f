import { type CallOptions, deletion, pathOf, read, type Send } from './call.ts';
import { createListing, type Listing } from './listing.ts';
import type { AccountUpsert, Credentials, EndUserAccount } from './model/account.ts';
import type { AccountListQuery } from './model/queries.ts';
import type { UnreadableListQuery, UnreadableObject } from './model/unreadable-object.ts';

/** Answer to the deletion of an account. */
export interface AccountDeleted {
  readonly message: string;
  readonly ok: boolean;
}

/** Calls about the mailboxes that end users have connected. */
export interface AccountCalls {
  /** Lists the application's accounts. */
  list(query?: AccountListQuery, options?: CallOptions): Listing<EndUserAccount>;
  /** Returns an account. */
  get(accountId: string, options?: CallOptions): Promise<EndUserAccount>;
  /** Lists what the provider sent and cannot be read: the account's sync health. */
  listUnreadableObjects(
    accountId: string,
    query?: UnreadableListQuery,
    options?: CallOptions,
  ): Listing<UnreadableObject>;
  /** Returns the provider's tokens of an account. Each call is audited. */
  getCredentials(accountId: string, options?: CallOptions): Promise<Credentials>;
  /** Creates the account, or replaces the credentials of the one with the same mailbox. */
  upsert(body: AccountUpsert, options?: CallOptions): Promise<EndUserAccount>;
  /** Deletes an account with its copy of the provider's data, and revokes its access. */
  delete(accountId: string, options?: CallOptions): Promise<AccountDeleted>;
}

export function accountCalls(send: Send): AccountCalls {
  const path = (...ids: readonly string[]) => pathOf('endUserAccounts', ...ids);
  return {
    list: (query, options) => createListing(send, path(), query, options),
    get: (accountId, options) => send(read(path(accountId), options)),
    listUnreadableObjects: (accountId, query, options) =>
      createListing(send, `${path(accountId)}/unreadableObjects`, query, options),
    getCredentials: (accountId, options) => send(read(`${path(accountId)}/credentials`, options)),
    upsert: (body, options) => send({ method: 'POST', path: path(), body, options }),
    delete: (accountId, options) =>
      send({ ...deletion(path(accountId), options), whenGone: { message: 'End user account deleted', ok: true } }),
  };
}
