/** Rows that have a data key of their own: OAuth clients of applications, credentials of accounts, targets of webhooks. */
export type DataKeyKind = 'client' | 'credential' | 'target';

/** Length of the beginning of a wrapped key that names the key it is wrapped under: `1.`, its id of 8 characters, and a dot. */
export const WRAPPING_NAME_LENGTH = 11;

interface DataKeyOf<Kind extends DataKeyKind> {
  readonly kind: Kind;
  /** Id of the row that has the key. */
  readonly id: string;
  readonly applicationId: string;
  readonly wrappedKey: string;
}

/** A data key as it is stored, with its owner. */
export type DataKeyRow =
  | (DataKeyOf<'client'> & { readonly providerType: string })
  | (DataKeyOf<'credential'> & { readonly accountId: string })
  | DataKeyOf<'target'>;

/**
 * Wrapped data keys of all tenants, for the operator's change of secrets. Authorizations have none: those under way end long
 * before a secret leaves the list.
 */
export interface DataKeyStore {
  /** Lists the keys of all applications, ascending by id, beyond `after`. */
  list(kind: DataKeyKind, input: { readonly after?: string; readonly limit: number }): Promise<readonly DataKeyRow[]>;
  /**
   * Returns one row for each beginning of wrapped keys, ascending by it: the first WRAPPING_NAME_LENGTH characters name the key
   * that wraps. At most `limit` rows. The cost grows with the number of such names, not with the number of rows.
   */
  samples(kind: DataKeyKind, limit: number): Promise<readonly DataKeyRow[]>;
  /**
   * Puts `wrappedKey` in the place of the one that the row was read with, and touches nothing else of it: no version, no
   * time. When the row has another one by then, nothing is changed. Resolves with the one that the row has afterwards,
   * undefined when it is gone.
   */
  replace(row: DataKeyRow, wrappedKey: string): Promise<string | undefined>;
  /** Returns the id of the secret that API keys are hashed under, which their rows do not name; undefined before the first key. */
  findSecretId(): Promise<string | undefined>;
  /** Records that id; with `ifNone` only where none is recorded. */
  setSecretId(id: string, options?: { readonly ifNone?: boolean }): Promise<void>;
}
