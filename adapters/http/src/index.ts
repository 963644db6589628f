export { createDocsPage } from './docs-page.ts';
export { createHandler, type Handler, type HandlerOptions } from './handler.ts';
export type { RateLimitOptions } from './rate-limit.ts';
