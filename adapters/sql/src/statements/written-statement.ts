/** A piece of a statement's own text. */
export interface Fragment {
  readonly text: string;
}

/** A statement with its parameters, as a database takes it. */
export interface WrittenStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}
