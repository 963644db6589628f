import type { NotifyAttendees } from 'kalends/model';
import type { HoldReach, HoldState } from 'kalends/ports';

interface HoldTable {
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
  write_to: HoldReach | null;
  tentative: HoldReach | null;
  /** JSON. */
  search: string | null;
  notify_attendees: NotifyAttendees | null;
  created_at: number;
  kept_until: number;
  due_at: number | null;
}

interface HoldParticipantTable {
  account_id: string;
  hold_id: string;
  position: number;
  /** JSON. */
  calendar_ids: string;
  event_id: string | null;
  /** As in the hold, for an index. */
  start_at: number;
  end_at: number;
  taken_until: number;
}

/** The choice of an account by a round-robin. It counts until that time: that of its hold, and OPEN once it is booked. */
interface AssignmentTable {
  account_id: string;
  pool: string;
  assigned_at: number;
  hold_id: string;
  application_id: string;
  counts_until: number;
}

/** Slots that are taken, and who was assigned to them. */
export interface HoldTables {
  kalends_hold: HoldTable;
  kalends_hold_participant: HoldParticipantTable;
  kalends_assignment: AssignmentTable;
}
