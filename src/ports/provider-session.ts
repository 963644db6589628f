/** How a provider call is made on behalf of one account. */
export interface ProviderSession {
  /** Our account id: transports pace and limit concurrency per mailbox under this key. */
  readonly accountId: string;
  /** The mailbox's own address. */
  readonly email: string;
  /**
   * A valid access token. After a 401 the transport asks once more, naming the token that was refused, and gets a
   * fresh one. @throws ProviderError invalid-grant
   */
  accessToken(refused?: string): Promise<string>;
  readonly signal?: AbortSignal;
  /** Nobody waits for the answer: transports leave one of the mailbox's places free of such calls. */
  readonly isBackground?: boolean;
}
