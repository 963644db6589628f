import type { SqlDialect } from '../statements/dialect.ts';

/**
 * Holds with events of every participant, tentative ones, and an hour at which a process has to look after them. The event of a
 * booking moves from the hold to its organizer; the column that had it stays for processes of the version before, and nothing reads it.
 */
export function holdEvents({ text }: SqlDialect['ddl']): readonly string[] {
  return [
    `alter table kalends_hold add column write_to ${text}`,
    `alter table kalends_hold add column tentative ${text}`,
    `alter table kalends_hold add column search ${text}`,
    `alter table kalends_hold add column notify_attendees ${text}`,
    `alter table kalends_hold add column due_at bigint`,
    `create index kalends_hold_due on kalends_hold (due_at) where due_at is not null`,
    `alter table kalends_hold_participant add column event_id ${text}`,
    `update kalends_hold_participant set event_id = (select event_id from kalends_hold where id = hold_id) where position = 0`,
    `update kalends_hold set due_at = taken_until where state = 'confirming'`,
    `update kalends_hold set write_to = 'organizer' where state in ('confirming', 'booked')`,
  ];
}
