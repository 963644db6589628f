import type { HoldState } from 'kalends/ports';

export interface HoldTable {
  /** The organizer's. */
  account_id: string;
  id: string;
  application_id: string;
  state: HoldState;
  start_at: number;
  end_at: number;
  time_zone: string;
  taken_until: number;
  replaces: string | null;
  epoch: number;
  body_hash: string | null;
  event_id: string | null;
  created_at: number;
  kept_until: number;
}

export interface HoldParticipantTable {
  account_id: string;
  hold_id: string;
  position: number;
  /** JSON. */
  calendar_ids: string;
  /** As in the hold, for an index. */
  start_at: number;
  end_at: number;
  taken_until: number;
}
