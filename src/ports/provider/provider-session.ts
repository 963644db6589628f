import type { AccountCredentials } from './account-credentials.ts';

/** Credentials and budget of provider calls for one account. */
export interface ProviderSession {
  /** Our account id, the key by which transports pace and limit each mailbox. */
  readonly accountId: string;
  /** The mailbox's own address. */
  readonly email: string;
  /**
   * Returns a valid access token of an account with OAuth. After a 401 the transport calls it once more with the refused token and gets a fresh one.
   * @throws ProviderError invalid-grant
   */
  accessToken(refused?: string): Promise<string>;
  /**
   * Returns the credentials of an account without OAuth; absent for an account with OAuth. After a 401 the provider calls it once more
   * with the refused credentials: the engine then proves them by `verify`, which confirms or ends the account, and returns those to try
   * again. A 403, or a second 401 after that, is the object's alone (`forbidden`, `unauthorized`).
   * @throws ProviderError invalid-grant when the server refuses them; what `verify` throws
   */
  credentials?(refused?: AccountCredentials): Promise<AccountCredentials>;
  readonly signal?: AbortSignal;
  /**
   * Waits until the budget shared by all processes has a call left. Transports call it before each request, repetitions
   * included.
   * @throws ProviderError rate-limited, with `retryAfterMs`
   */
  admit?(isBackground: boolean): Promise<void>;
  /** True when no user waits for the answer; transports keep one of the mailbox's slots free of such calls. */
  readonly isBackground?: boolean;
  /** True where nothing but the time since the last call caused this one: a source may be spared that wants to be asked more seldom. */
  readonly isRoutine?: boolean;
}
