import type { Caller } from './callers.ts';
import type {
  AvailabilityExplainQuery,
  AvailabilityQuery,
  AvailabilityResult,
  SlotExplanation,
} from './model/index.ts';

/** When participants can meet, from the calendars of accounts and from busy time that the query has. */
export interface AvailabilityService {
  /**
   * Returns a page of the times at which the participants can meet.
   * @throws KalendsError NotFound for accounts and calendars that the application does not have, CalendarSyncing, InvalidRequest, …;
   * `details` name the account. One account that cannot be read fails the query: nobody may be taken for free
   */
  query(caller: Caller, body: AvailabilityQuery): Promise<AvailabilityResult>;
  /** Returns every rule that stands against a slot. @throws KalendsError as `query` */
  explain(caller: Caller, body: AvailabilityExplainQuery): Promise<SlotExplanation>;
}
