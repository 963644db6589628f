import type { Caller } from './callers.ts';
import type {
  AccountsFreeBusyQuery,
  AccountsFreeBusyResult,
  AvailabilityExplainQuery,
  AvailabilityQuery,
  AvailabilityResult,
  FreeBusyQuery,
  FreeBusyResult,
  SlotExplanation,
} from './model/index.ts';

export interface FreeBusyService {
  query(caller: Caller, accountId: string, body: FreeBusyQuery): Promise<FreeBusyResult>;
  /**
   * Returns the busy time of many accounts, and of people who are not connected. What one of them fails with stands in its place, and
   * costs the others nothing.
   * @throws KalendsError NotFound when the application has no such account
   */
  queryAccounts(caller: Caller, body: AccountsFreeBusyQuery): Promise<AccountsFreeBusyResult>;
}

/** When participants can meet, from the calendars of accounts and from busy time that the query has. */
export interface AvailabilityService {
  /**
   * Returns a page of the times at which the participants can meet.
   * @throws KalendsError NotFound for accounts and calendars that the application does not have, CalendarSyncing, InvalidRequest, …;
   * `details` name the account. One account, or a required person who is not connected, that cannot be read fails the query: unread
   * time is not free
   */
  query(caller: Caller, body: AvailabilityQuery): Promise<AvailabilityResult>;
  /** Returns every rule that stands against a slot. @throws KalendsError as `query` */
  explain(caller: Caller, body: AvailabilityExplainQuery): Promise<SlotExplanation>;
}
