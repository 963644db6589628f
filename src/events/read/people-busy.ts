import type { AccountAccess } from '../../accounts/index.ts';
import { KalendsError } from '../../errors.ts';
import type { Slot } from '../../free-busy/index.ts';
import { type PersonBusy, ProviderError } from '../../ports/index.ts';
import type { BusySpan } from './busy-reader.ts';

/** A person who is not connected, and the account whose provider is asked. */
export interface PersonRequest {
  readonly accountId: string;
  readonly email: string;
  /** Path of the request in the caller's body, such as `addresses.0`. */
  readonly path: string;
}

/** Busy time of a person, or why it is not known. */
export type PersonTime = { readonly spans: readonly BusySpan[] } | { readonly error: KalendsError };

export interface PeopleBusyReader {
  /**
   * Asks providers for the busy time of people that meets a window, in the order of the requests. What fails for one of them, or
   * for one account, stands in its place. Nothing is kept: each call asks again.
   * @throws KalendsError NotFound, naming the request, when the application has no such account
   */
  read(applicationId: string, requests: readonly PersonRequest[], window: Slot): Promise<readonly PersonTime[]>;
}

export interface PeopleBusyDeps {
  readonly accounts: AccountAccess;
  /** The public error of a ProviderError; others as they are. */
  readonly toPublicError: (error: unknown) => unknown;
}

/** Reads the free/busy of people who are not connected from the providers of connected accounts. */
export function createPeopleBusyReader({ accounts, toPublicError }: PeopleBusyDeps): PeopleBusyReader {
  async function ask(applicationId: string, accountId: string, addresses: readonly string[], window: Slot) {
    const account = await accounts.get(applicationId, accountId);
    const { freeBusy } = account.provider;
    if (freeBusy === undefined) {
      const message = 'The provider of this account tells nothing of people who are not connected.';
      throw new KalendsError('UnsupportedByProvider', message);
    }
    return await freeBusy.query(accounts.session(account), { addresses, window });
  }

  /** Asks for the people of one account; a failure of the account is that of each of them. */
  async function readAccount(
    applicationId: string,
    requests: readonly PersonRequest[],
    window: Slot,
  ): Promise<ReadonlyMap<string, PersonTime>> {
    const [first] = requests;
    const addresses = [...new Set(requests.map(({ email }) => keyOf(email)))];
    const failed = (error: KalendsError) => new Map(addresses.map((address) => [address, { error }]));
    try {
      const people = await ask(applicationId, first?.accountId ?? '', addresses, window);
      const timeOf = (person: PersonBusy) => personTime(person, toPublicError);
      return new Map(people.map((person, index) => [addresses[index] ?? '', timeOf(person)]));
    } catch (error) {
      const shown = toPublicError(error);
      if (!KalendsError.isInstance(shown)) throw error;
      // A provider's not-found is not about the account.
      if (shown.code !== 'NotFound' || ProviderError.isInstance(error)) return failed(shown);
      const { message } = shown;
      const details = [{ path: `${first?.path}.viaEndUserAccountId`, message }];
      throw new KalendsError('NotFound', message, { details, cause: error });
    }
  }

  return {
    async read(applicationId, requests, window) {
      const readOne = async (accountId: string) => {
        const own = requests.filter((request) => request.accountId === accountId);
        return [accountId, await readAccount(applicationId, own, window)] as const;
      };
      const accountIds = new Set(requests.map(({ accountId }) => accountId));
      const found = new Map(await Promise.all([...accountIds].map(readOne)));
      return requests.map(({ accountId, email }) => found.get(accountId)?.get(keyOf(email)) ?? { spans: [] });
    },
  };
}

/** Domains and, at every provider that is known, mailboxes have no case. */
function keyOf(email: string): string {
  return email.toLowerCase();
}

function personTime(person: PersonBusy, toPublicError: (error: unknown) => unknown): PersonTime {
  if (!('error' in person)) return { spans: person.spans.map((span) => ({ ...span, isAllDay: false })) };
  const shown = toPublicError(person.error);
  if (!KalendsError.isInstance(shown)) throw person.error;
  const { code, status, retryAfterMs } = shown;
  return {
    error: new KalendsError(code, `The provider does not tell the busy time: ${person.error.message}`, {
      status,
      cause: person.error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }),
  };
}
