/** An application: the tenant. */
export interface ApplicationRow {
  readonly id: string;
  readonly name: string;
  /** Registered redirect URLs, compared exactly; the first is the default. */
  readonly redirectUrls: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Stores applications. */
export interface ApplicationStore {
  create(row: ApplicationRow): Promise<void>;
  find(applicationId: string): Promise<ApplicationRow | undefined>;
  /** Ascending by creation. */
  list(input: {
    readonly limit: number;
    readonly after?: { readonly createdAt: number; readonly id: string };
  }): Promise<readonly ApplicationRow[]>;
  /** Resolves false when there is no such application. */
  update(
    applicationId: string,
    patch: { readonly name?: string; readonly redirectUrls?: readonly string[]; readonly updatedAt: number },
  ): Promise<boolean>;
}
