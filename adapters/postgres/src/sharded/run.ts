type SqlParameter = string | number | null | readonly string[];

/** Runs a statement on one database; its parameters are `$1` and so on. */
export type Run = <Row = unknown>(text: string, parameters?: readonly SqlParameter[]) => Promise<readonly Row[]>;
