import type { Reminders } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import type { WireEvent } from './event-wire.ts';
import type { KeptDetails } from './kept-properties.ts';

/** What Exchange gives an event about whose reminder nothing is said. */
const DEFAULT_MINUTES = 15;

/** Graph has one reminder, a popup, which is on or off. */
export function readReminders(wire: WireEvent, details: KeptDetails): Reminders {
  const isReminderOn = wire.isReminderOn ?? false;
  const minutes = Math.min(Math.max(wire.reminderMinutesBeforeStart ?? DEFAULT_MINUTES, 0), 40_320);
  const useDefault = details.usesDefaultReminder === true && isReminderOn && minutes === DEFAULT_MINUTES;
  if (useDefault) return { useDefault: true };
  return { useDefault: false, isReminderOn, overrides: isReminderOn ? [{ method: 'popup', minutes }] : [] };
}

/** What to write for a reminder. */
interface WrittenReminders {
  readonly isReminderOn: boolean;
  readonly reminderMinutesBeforeStart: number;
  readonly usesDefaultReminder: boolean;
}

/**
 * One popup at most: what Graph cannot remind of is refused, not forgotten.
 * @throws ProviderError unsupported
 */
export function writeReminders(reminders: Reminders | null): WrittenReminders {
  const overrides = reminders?.overrides ?? [];
  const [first, second] = overrides;
  if (second !== undefined || first?.method === 'email') {
    throw new ProviderError('unsupported', 'Graph has one reminder, a popup', { field: 'reminders' });
  }
  const isOn = reminders?.isReminderOn ?? (first !== undefined || reminders?.useDefault !== false);
  return {
    isReminderOn: isOn,
    reminderMinutesBeforeStart: first?.minutes ?? DEFAULT_MINUTES,
    usesDefaultReminder: isOn && first === undefined && reminders?.useDefault !== false,
  };
}
