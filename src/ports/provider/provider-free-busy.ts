import type { BusyType } from '../../model/index.ts';
import type { ProviderError } from './provider-error.ts';
import type { ProviderSession } from './provider-session.ts';

/** Time in which a person is busy: half-open, epoch milliseconds. */
export interface PersonBusySpan {
  readonly startMs: number;
  readonly endMs: number;
  /** `busy` where the provider tells no kinds apart. */
  readonly type: BusyType;
}

/** Busy time of one person, or why it is not known. */
export type PersonBusy = { readonly spans: readonly PersonBusySpan[] } | { readonly error: ProviderError };

/** Busy time of people whose calendars are not connected, as far as they let the account see it. */
export interface ProviderFreeBusy {
  /**
   * Returns the busy time of people by their e-mail addresses, in the order of the addresses, without anything else of their events.
   * Spans meet the window, may reach beyond it, and are in any order. Any number of addresses and any window are asked for by as many
   * calls as it takes. One address that cannot be read has its own error: not-found for one that the provider does not know or does not show,
   * forbidden, invalid for one that is too large.
   * @throws ProviderError for a failure of the whole request, such as a missing scope (forbidden)
   */
  query(
    session: ProviderSession,
    request: {
      readonly addresses: readonly string[];
      readonly window: { readonly startMs: number; readonly endMs: number };
    },
  ): Promise<readonly PersonBusy[]>;
}
