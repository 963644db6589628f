import type { CredentialAuthorization } from './account-credentials.ts';
import type { ProviderAuthorization } from './provider-authorization.ts';
import type { ProviderCalendars } from './provider-calendars.ts';
import type { ProviderCapabilities } from './provider-capabilities.ts';
import type { CalendarRef, ProviderEvents } from './provider-events.ts';
import type { ProviderFreeBusy } from './provider-free-busy.ts';
import type { ProviderPush } from './provider-push.ts';

/**
 * A calendar provider, the only code that knows its wire format. Stateless: the engine stores its tokens and channels.
 *
 * Every method rejects with a ProviderError whose `reason` is decided where the answer arrives; any other error is a bug.
 * The provider itself retries throttled and failed calls that are safe to repeat, a bounded number of times. An error is
 * final for this attempt.
 */
export interface Provider {
  /** `google`, `microsoft`, … for logs and documents. The public name is the key of its registration. */
  readonly name: string;
  /** Version of the mapping; raise it with every change so that the engine maps stored calendars again. */
  readonly mappingVersion: number;
  readonly authorization: ProviderAuthorization | CredentialAuthorization;
  readonly calendars: ProviderCalendars;
  readonly events: ProviderEvents;
  readonly push: ProviderPush;
  /** Busy time of people who are not connected; absent where the provider has no such request. */
  readonly freeBusy?: ProviderFreeBusy;
  /** Returns the limits of this calendar's events. Pure. */
  capabilities(calendar: CalendarRef): ProviderCapabilities;
}

/** A provider whose accounts sign in by OAuth 2.0. */
export interface OAuthProvider extends Provider {
  readonly authorization: ProviderAuthorization;
}

/** A provider whose accounts sign in by credentials of their own, such as an app password. */
export interface CredentialProvider extends Provider {
  readonly authorization: CredentialAuthorization;
}
