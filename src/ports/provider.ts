import type { ProviderAuthorization } from './provider-authorization.ts';
import type { ProviderCalendars } from './provider-calendars.ts';
import type { ProviderCapabilities } from './provider-capabilities.ts';
import type { CalendarRef, ProviderEvents } from './provider-events.ts';
import type { ProviderPush } from './provider-push.ts';

/**
 * A calendar provider: the only thing that knows a provider's wire format. Stateless; everything it needs to
 * remember (tokens, channels) it hands to the engine, which stores it.
 *
 * Errors: every method rejects with a ProviderError whose `reason` is decided where the answer was seen; anything
 * else is a bug. Retries of throttled and failed calls that are safe to repeat happen inside, bounded; what comes
 * out is final for this attempt.
 */
export interface Provider {
  /** `google`, `microsoft`, … for logs and documents; the public name is the key it is registered under. */
  readonly name: string;
  /** Raised whenever mapping changes, so that the engine maps stored calendars anew. */
  readonly mappingVersion: number;
  readonly authorization: ProviderAuthorization;
  readonly calendars: ProviderCalendars;
  readonly events: ProviderEvents;
  readonly push: ProviderPush;
  /** What events of this calendar can hold. Pure: the same calendar always has the same. */
  capabilities(calendar: CalendarRef): ProviderCapabilities;
}
