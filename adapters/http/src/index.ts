export { type Administrator, type Authorize, authorizeByToken } from './admin-admission.ts';
export { type AdminHandlerOptions, createAdminHandler, createLocalAdminHandler } from './admin-handler.ts';
export type { AuthorizeCaller } from './admission.ts';
export { type Client, createClientAddress, type ProxyHeader, type TrustProxy } from './client-address.ts';
export { createDocsPage, type DocsPageOptions } from './docs-page.ts';
export { type CallerHandlerOptions, createHandler } from './handler.ts';
export type { HandlerOptions } from './handler-options.ts';
export {
  createOpenRoutesLimit,
  DEFAULT_FAILURE_LIMIT,
  type OpenRoutesLimit,
  type Outcome,
} from './open-routes-limit.ts';
export { problemResponse } from './problem-response.ts';
export { createRateLimiter, type RateLimiter, type RateLimitOptions } from './rate-limit.ts';
export type { RateLimit, RateLimitAnswer } from './rate-limit-answer.ts';
export { readBytes } from './request-input.ts';
export type { Access } from './route.ts';
export { createRoutedPath } from './routed-path.ts';
export type { Handler, Peer } from './table-handler.ts';
