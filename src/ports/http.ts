/** The platform's `fetch`, injected so that tests control the network. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** One signed POST to a receiver. */
export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** Outcome of one POST. `status` is null without an answer; `failure` then names the reason. */
export interface OutboundResult {
  readonly status: number | null;
  readonly failure: 'timeout' | 'connection' | 'tls' | 'dns' | 'address-refused' | null;
  /** Retry-After in milliseconds from now, null when the answer had none. */
  readonly retryAfterMs: number | null;
  /** First kilobyte of the answer. */
  readonly excerpt: string;
  readonly latencyMs: number;
}

/**
 * POSTs to addresses that customers chose. Implementations never follow redirects, never dial a private address outside
 * `allowedNetworks`, stop reading after the excerpt, and never reject: every failure is an OutboundResult.
 */
export interface OutboundSender {
  post(request: OutboundPost): Promise<OutboundResult>;
  close(): Promise<void>;
}
