/** The platform's `fetch`, injected so that tests decide what the network is. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** One signed POST to a receiver. */
export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** What came of it. `status` is null when no answer was received; `failure` then says why. */
export interface OutboundResult {
  readonly status: number | null;
  readonly failure: 'timeout' | 'connection' | 'tls' | 'dns' | 'address-refused' | null;
  /** Value of Retry-After in milliseconds from now, if the answer had one. */
  readonly retryAfterMs: number | null;
  /** First kilobyte of the answer. */
  readonly excerpt: string;
  readonly latencyMs: number;
}

/**
 * POSTs to addresses that customers chose. Implementations never follow redirects, never dial an address inside
 * our network unless it is in `allowedNetworks`, stop reading after the excerpt, and never reject: every failure
 * is an OutboundResult.
 */
export interface OutboundSender {
  post(request: OutboundPost): Promise<OutboundResult>;
  close(): Promise<void>;
}
