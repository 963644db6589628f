import type { Reminders } from 'kalends/model';
import { LONGEST_REMINDER_MINUTES, MOST_REMINDERS } from '../capabilities.ts';
import { unsupported } from '../transport/google-failure.ts';
import type { WireReminders } from './event-wire.ts';

/**
 * Maps reminders; an event without any uses the calendar's. Methods that Google has retired become popups. Reminders beyond the
 * limits of a write, such as one after the start, are left out: the interface cannot show them, and they must not cost the event.
 */
export function readReminders(wire: WireReminders | null | undefined): Reminders {
  if (wire == null || wire.useDefault === true) return { useDefault: true };
  const overrides = (wire.overrides ?? [])
    .flatMap(({ method, minutes }) =>
      isWithinLimits(minutes) ? [{ method: method === 'email' ? 'email' : 'popup', minutes } as const] : [],
    )
    .slice(0, MOST_REMINDERS);
  return { useDefault: false, isReminderOn: overrides.length > 0, overrides };
}

function isWithinLimits(minutes: number | null | undefined): minutes is number {
  return Number.isInteger(minutes) && Number(minutes) >= 0 && Number(minutes) <= LONGEST_REMINDER_MINUTES;
}

/**
 * Returns the `reminders` of a body. Null and an empty object mean the calendar's defaults; overrides alone replace those.
 * @throws ProviderError unsupported for a combination that Google cannot represent
 */
export function writeReminders(reminders: Reminders | null): Readonly<Record<string, unknown>> {
  const overrides = reminders?.overrides ?? [];
  if (overrides.length > MOST_REMINDERS) {
    throw unsupported('reminders', `Google has at most ${MOST_REMINDERS} reminders for an event`);
  }
  if (reminders?.isReminderOn === false) {
    if (overrides.length > 0) throw unsupported('reminders', 'overrides need isReminderOn');
    return { useDefault: false, overrides: [] };
  }
  if (reminders?.useDefault === true && overrides.length > 0) {
    throw unsupported('reminders', 'useDefault and overrides exclude each other');
  }
  const useDefault = reminders === null || (reminders.useDefault ?? overrides.length === 0);
  if (!useDefault && overrides.length === 0 && reminders.isReminderOn === true) {
    throw unsupported('reminders', 'isReminderOn needs useDefault or overrides');
  }
  return { useDefault, overrides };
}
