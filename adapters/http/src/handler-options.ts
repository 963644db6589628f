import type { Clock, Logger, Random, Telemetry } from 'kalends/ports';
import type { ProxyHeader, TrustProxy } from './client-address.ts';
import type { RateLimitOptions } from './rate-limit.ts';
import type { RateLimit } from './rate-limit-answer.ts';

export interface HandlerOptions {
  /** Limit of each API key, in this process or over all processes of a storage. @default none */
  readonly rateLimit?: RateLimitOptions;
  /**
   * Limit of failures per remote address, in this process: bad keys and tokens, unknown paths, refused authorizations, forged
   * notifications. Beyond it the address gets 429; false is no limit. Where the host signs callers in (`authorize`), their
   * routes are not limited. @default 1 a second, 100 at once
   */
  readonly failureLimit?: RateLimit | false;
  /** Trusted proxies, by number or by network (CIDR, `loopback`, `linklocal`, `uniquelocal`). @default none */
  readonly trustProxy?: TrustProxy;
  /** Header in which these proxies name the client. @default "x-forwarded-for" */
  readonly proxyHeader?: ProxyHeader;
  /** Largest body. @default 256 kB */
  readonly maxBodyBytes?: number;
  /** Absolute URL of the interface, for the OpenAPI document. @default a URL relative to the document */
  readonly publicUrl?: string;
  /**
   * Path that requests may carry before `/v1`; a path that does not begin with it is routed unchanged.
   * @default the path of `publicUrl`
   */
  readonly basePath?: string;
  /** Logs every answer: one with a 5xx status as a warning or an error, with its cause. @default silent */
  readonly logger?: Logger;
  /** Receives the duration of each request. @default measures nothing */
  readonly telemetry?: Telemetry;
  /**
   * Ends streams when it aborts: to be aborted when the server begins to stop, so that it need not wait for their readers.
   * @default streams end with the engine
   */
  readonly stopping?: AbortSignal;
  /** @default the system clock */
  readonly clock?: Clock;
  /** Source of request ids. @default node:crypto */
  readonly random?: Random;
}
