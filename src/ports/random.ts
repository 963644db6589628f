/** The engine's only source of randomness: ids, secrets, jitter. Must be cryptographically strong in production. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** Uniform in [0, 1). */
  fraction(): number;
}
