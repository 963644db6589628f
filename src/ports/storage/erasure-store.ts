/** Rows of a column, or of a table. */
export interface Trace {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
}

/** Rows without an owner, and columns whose texts are sealed. */
export interface OwnerlessRows {
  /** Rows of accounts that do not exist, table by table; the column is that of the account. Tables without such rows are left out. */
  readonly ownerless: readonly Trace[];
  /** Columns of ciphertext, which no search for a text can look into, with the number of their rows. */
  readonly sealed: readonly Trace[];
}

/** Erases what deleted accounts leave behind, and finds out whether anything is left. Across tenants. */
export interface ErasureStore {
  /**
   * Removes messages about accounts that were made before `before`, whether they still wait or not, with their attempts; resolves
   * with the number of messages. One that is being sent stays until it has been.
   */
  purgeMessages(before: number): Promise<number>;
  /** Overwrites what the database keeps of removed rows outside its tables, as far as a program can. */
  settle(): Promise<void>;
  /** Counts the rows whose text contains one of the texts, letters in any case, column by column; reads every table. */
  find(texts: readonly string[]): Promise<readonly Trace[]>;
  /** Counts the rows of accounts that do not exist; reads every table of an account. */
  findOwnerless(): Promise<OwnerlessRows>;
}
