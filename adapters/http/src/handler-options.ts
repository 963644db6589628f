import { type Clock, type Logger, NO_TELEMETRY, type Random, type Telemetry } from 'kalends/ports';
import { checkNames, checkProcessPorts, hasFunctions, steadyLogger, systemClock, systemRandom } from 'kalends/runtime';
import type { ProxyHeader, TrustProxy } from './client-address.ts';
import { invalidOption } from './invalid-option.ts';
import { DEFAULT_FAILURE_LIMIT } from './open-routes-limit.ts';
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
  /** Largest body; Infinity is no limit. @default 256 kB */
  readonly maxBodyBytes?: number;
  /** Absolute URL of the interface, for the OpenAPI document. @default a URL relative to the document */
  readonly publicUrl?: string;
  /**
   * Path that requests may carry before `/v1`; a path that does not begin with it is routed unchanged.
   * @default the path of `publicUrl`
   */
  readonly basePath?: string;
  /**
   * Logs every answer: one with a 5xx status as a warning or an error, with its cause. One that takes the fields before the message,
   * such as pino's and Fastify's, needs `fieldsFirst` of `kalends`. @default silent
   */
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

/** Options that both interfaces have. */
type SharedOptions = Omit<HandlerOptions, 'rateLimit'>;

const SHARED: { readonly [Name in keyof Required<SharedOptions>]: true } = {
  failureLimit: true,
  trustProxy: true,
  proxyHeader: true,
  maxBodyBytes: true,
  publicUrl: true,
  basePath: true,
  logger: true,
  telemetry: true,
  stopping: true,
  clock: true,
  random: true,
};

/**
 * Checks the options of a handler and applies the defaults; limits and proxies are checked where they are read.
 * @param own names of the further options of this handler
 * @throws KalendsError InvalidRequest naming the option and its rule
 */
export function resolveHandlerOptions(
  options: SharedOptions & { readonly authorize?: unknown },
  own: readonly string[],
) {
  checkNames(options, [...Object.keys(SHARED), ...own]);
  checkProcessPorts(options);
  const { authorize, maxBodyBytes, publicUrl, basePath, stopping, logger } = options;
  if (authorize !== undefined && typeof authorize !== 'function')
    throw invalidOption('authorize', 'must be a function');
  const isLimit = Number.isSafeInteger(maxBodyBytes) || maxBodyBytes === Number.POSITIVE_INFINITY;
  if (maxBodyBytes !== undefined && !(isLimit && maxBodyBytes > 0)) {
    throw invalidOption('maxBodyBytes', 'must be a whole number of bytes, from 1 on, or Infinity');
  }
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) throw invalidOption('publicUrl', 'must be an absolute URL');
  if (basePath !== undefined && typeof basePath !== 'string') throw invalidOption('basePath', 'must be a path');
  if (stopping !== undefined && !hasFunctions(stopping, ['addEventListener'])) {
    throw invalidOption('stopping', 'must be an AbortSignal');
  }
  return {
    ...options,
    failureLimit: options.failureLimit ?? DEFAULT_FAILURE_LIMIT,
    basePath: basePath ?? (publicUrl === undefined ? '' : new URL(publicUrl).pathname),
    logger: logger === undefined ? undefined : steadyLogger(logger),
    telemetry: options.telemetry ?? NO_TELEMETRY,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  };
}

export type ResolvedHandlerOptions = ReturnType<typeof resolveHandlerOptions>;
