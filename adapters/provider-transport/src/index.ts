export { type BusyCallLimits, type BusyRequest, busyInParts, joined } from './busy-in-parts.ts';
export { type Answer, type AnswerBytes, boundedFetch, fetchAnswer, fetchBytes } from './fetch-answer.ts';
export { checkAnswer, checkListed, checkObject, readJsonAnswer } from './json-answer.ts';
export { readRoot, readScopes, readUrl, wrongOption } from './option-checks.ts';
export { createProviderTransport, type ProviderRequest, type ProviderTransport } from './provider-transport.ts';
export type { Exchange } from './redirects.ts';
export { backoffMs, type Effect, repeatTransient } from './repetition.ts';
export { readRetryAfter } from './retry-after.ts';
export { asSecure, isSameSite } from './same-site.ts';
export { readServerTime } from './server-time.ts';
export {
  type CallLimits,
  checkTransportNames,
  type RetryLimits,
  readTransportOptions,
  type TransportDefaults,
  type TransportOptions,
  type TransportSettings,
} from './settings.ts';
