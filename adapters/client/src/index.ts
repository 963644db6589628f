export { type AuthorizeUrlOptions, authorizeUrl } from './authorize-url.ts';
export type { CallOptions, CreateOptions, Fetch } from './call.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type EventWriteOptions,
  type NotifyOptions,
} from './create-client.ts';
export {
  ApiError,
  ClientError,
  ConnectionError,
  type FailedRequest,
  InvalidAnswerError,
  TimeoutError,
} from './errors.ts';
export type { ClientHooks, RequestInfo } from './hooks.ts';
export type { Listing, ListPage } from './listing.ts';
export { type MemoryStore, memoryStore } from './memory-store.ts';
export type { CopyChanges, RecordStore, SyncResult } from './sync.ts';
export type { ReceiverCalls } from './webhook-calls.ts';
