/** Remembers which `state` parameters of authorizations have been used, so that none works twice (RFC 6749 section 10.12). */
export interface UsedStateStore {
  /**
   * Marks a state as used: of any number of concurrent callers exactly one gets true, all others and all later ones get
   * false. `stateHash` is the SHA-256 of the state, hex.
   */
  mark(stateHash: string, expiresAt: number): Promise<boolean>;
  /** Removes marks of states that expired before this time; resolves with their number. */
  purge(before: number): Promise<number>;
}
