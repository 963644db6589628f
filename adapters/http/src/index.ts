export type { Administrator, Authorize } from './admin-admission.ts';
export { type AdminHandlerOptions, createAdminHandler, createLocalAdminHandler } from './admin-handler.ts';
export { createClientAddress, type ProxyHeader, type TrustProxy } from './client-address.ts';
export { createDocsPage, type DocsPageOptions } from './docs-page.ts';
export { createHandler } from './handler.ts';
export type { HandlerOptions } from './handler-options.ts';
export type { RateLimitOptions } from './rate-limit.ts';
export type { RateLimit } from './rate-limit-answer.ts';
export type { Handler, Peer } from './table-handler.ts';
