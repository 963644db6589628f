/** Rows that have a data key of their own: OAuth clients of applications, credentials of accounts, targets of webhooks. */
export type DataKeyKind = 'client' | 'credential' | 'target';

interface DataKeyOf<Kind extends DataKeyKind> {
  readonly kind: Kind;
  /** Of the row. */
  readonly id: string;
  readonly applicationId: string;
  readonly wrappedKey: string;
}

/** A data key as it is stored, with what its owner is known by. */
export type DataKeyRow =
  | (DataKeyOf<'client'> & { readonly providerType: string })
  | (DataKeyOf<'credential'> & { readonly accountId: string })
  | DataKeyOf<'target'>;

/**
 * The wrapped data keys, for the operator's change of secrets: across tenants. Authorizations are not among them: those
 * under way have ended long before a secret leaves the list.
 */
export interface DataKeyStore {
  /** Of all applications, ascending by id, from behind `after`. */
  list(kind: DataKeyKind, input: { readonly after?: string; readonly limit: number }): Promise<readonly DataKeyRow[]>;
  /**
   * Puts `wrappedKey` in the place of the one that the row was read with, and touches nothing else of it: no version, no
   * time. When the row has another one by then, nothing is changed. Resolves with the one that the row has afterwards,
   * undefined when it is gone.
   */
  replace(row: DataKeyRow, wrappedKey: string): Promise<string | undefined>;
}
