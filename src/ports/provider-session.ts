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
  /**
   * Waits until a budget shared by all processes has a call left: transports ask before each request, repetitions too.
   * @throws ProviderError rate-limited, with `retryAfterMs`
   */
  admit?(isBackground: boolean): Promise<void>;
  /** Nobody waits for the answer: transports leave one of the mailbox's places free of such calls. */
  readonly isBackground?: boolean;
}
