import type { Reminders } from 'kalends/model';
import { MOST_REMINDERS } from '../capabilities.ts';
import { unsupported } from '../transport/google-failure.ts';
import type { WireReminders } from './event-wire.ts';

/** Maps reminders; an event without any uses the calendar's. Methods that Google has retired become popups. */
export function readReminders(wire: WireReminders | null | undefined): Reminders {
  if (wire == null || wire.useDefault === true) return { useDefault: true };
  const overrides = (wire.overrides ?? []).map(
    ({ method, minutes }) => ({ method: method === 'email' ? 'email' : 'popup', minutes }) as const,
  );
  return { useDefault: false, isReminderOn: overrides.length > 0, overrides };
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
