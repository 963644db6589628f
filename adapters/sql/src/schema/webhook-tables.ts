import type { SubscriptionRow } from 'kalends/ports';
import type { Generated } from 'kysely';

/** The tables of receivers and their messages. */
export interface WebhookTables {
  kalends_target: TargetTable;
  kalends_delivery: DeliveryTable;
  kalends_message: MessageTable;
  kalends_attempt: AttemptTable;
}

/** Where messages go: a subscription, or, without an account, an endpoint of the application. */
interface TargetTable {
  id: string;
  application_id: string;
  account_id: string | null;
  calendar_id: string | null;
  subscription_type: 'event' | 'calendar' | null;
  provider_type: string | null;
  url: string;
  wrapped_key: string;
  sealed_secret: string;
  previous_sealed_secret: string | null;
  previous_secret_until: number | null;
  rate_limit: number | null;
  disabled_at: number | null;
  /** When its calendar was certainly gone: the target gets its last message and is removed. */
  ended_at: number | null;
  failing_since: number | null;
  created_at: number;
  updated_at: number;
  /** Null for an endpoint, and for a subscription of an earlier version: `change`. */
  detail: Generated<SubscriptionRow['detail'] | null>;
  /** Null likewise: `plain`. */
  format: Generated<SubscriptionRow['format'] | null>;
}

/** The sending state of a target: the row that senders lock and claim. */
interface DeliveryTable {
  target_id: string;
  application_id: string;
  /** Host and port of the target's URL. */
  host: string;
  /** When a claim may find something; null while nothing waits. */
  due_at: number | null;
  /** The rate limit's earliest next send, in fractions of a millisecond. */
  next_send_at: number;
  /** Between sends, by the rate limit; 0 without one. */
  spacing_ms: number;
  epoch: number;
  leased_until: number;
}

interface MessageTable {
  seq: Generated<number>;
  id: string;
  application_id: string;
  target_id: string;
  event_type: string;
  /** Time of the change. */
  changed_at: number;
  data: string | null;
  attempts: number;
  state: 'unattempted' | 'retrying' | 'delivered' | 'dead';
  /** Its place in line, its `seq`, while it waits; null once it is delivered or dead. */
  place: number | null;
  retry_at: number;
  created_at: number;
  /** JSON text of a `ToldChange`. */
  change: Generated<string | null>;
}

interface AttemptTable {
  id: string;
  application_id: string;
  target_id: string;
  message_id: string;
  event_type: string;
  at: number;
  status: number | null;
  failure: string | null;
  latency_ms: number;
  excerpt: string;
  outcome: 'delivered' | 'retry' | 'dead' | 'disabled';
}
