/** Position of a row in a list ordered by creation: createdAt, then id. */
export interface CreationKey {
  readonly createdAt: number;
  readonly id: string;
}
