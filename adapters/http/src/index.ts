export { createClientAddress, type ProxyHeader, type TrustProxy } from './client-address.ts';
export { createDocsPage } from './docs-page.ts';
export { createHandler, type Handler, type Peer } from './handler.ts';
export type { HandlerOptions } from './handler-options.ts';
export type { RateLimitOptions } from './rate-limit.ts';
