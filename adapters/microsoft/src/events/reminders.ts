import type { Reminders } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import { MOST_REMINDERS } from '../capabilities.ts';
import type { WireEvent } from './event-wire.ts';
import type { KeptDetails } from './kept-properties.ts';

/** Exchange's default reminder. */
const DEFAULT_MINUTES = 15;
/** Longest time before an event: four weeks. */
const MAX_MINUTES = 40_320;

/** Graph's one reminder. */
export interface WireReminder {
  readonly isReminderOn: boolean;
  readonly reminderMinutesBeforeStart: number;
}

/** Reminders to write: Graph's one, and those to record beside it. */
interface WrittenReminders extends WireReminder {
  readonly kept: Reminders | undefined;
}

/**
 * Returns the reminders of an event. Graph has one, a popup, on or off; the recorded others and e-mails are valid until that
 * one changes.
 */
export function readReminders(wire: WireEvent, details: KeptDetails): Reminders {
  const shown = {
    isReminderOn: wire.isReminderOn ?? false,
    reminderMinutesBeforeStart: Math.min(Math.max(wire.reminderMinutesBeforeStart ?? DEFAULT_MINUTES, 0), MAX_MINUTES),
  };
  const kept = details.reminders;
  return kept !== undefined && isSame(standInFor(kept), shown) ? kept : plainReminders(shown);
}

/** Returns the reminders to write; null is the default. @throws ProviderError unsupported for too many */
export function writeReminders(reminders: Reminders | null): WrittenReminders {
  if ((reminders?.overrides?.length ?? 0) > MOST_REMINDERS) {
    throw new ProviderError('unsupported', `an event has at most ${MOST_REMINDERS} reminders`, { field: 'reminders' });
  }
  const wanted = completed(reminders);
  const standIn = standInFor(wanted);
  const says = JSON.stringify(plainReminders(standIn)) === JSON.stringify(wanted);
  return { ...standIn, kept: says ? undefined : wanted };
}

/** Completes reminders: overrides alone replace the default, and an empty object means it. */
function completed(reminders: Reminders | null): Reminders {
  const { useDefault, isReminderOn, overrides = [] } = reminders ?? {};
  if (isReminderOn === false) return { useDefault: false, isReminderOn, overrides };
  if (overrides.length > 0) return { useDefault: useDefault ?? false, isReminderOn: true, overrides };
  if (useDefault !== false) return { useDefault: true };
  return { useDefault, isReminderOn: isReminderOn ?? false, overrides };
}

/** Returns the one reminder for Graph: the first popup, else the first of any kind. */
function standInFor({ useDefault, isReminderOn, overrides = [] }: Reminders): WireReminder {
  const first = overrides.find(({ method }) => method === 'popup') ?? overrides[0];
  return {
    isReminderOn: isReminderOn ?? useDefault ?? false,
    reminderMinutesBeforeStart: first?.minutes ?? DEFAULT_MINUTES,
  };
}

/** Maps the one reminder. One equal to Exchange's default is the default. */
function plainReminders({ isReminderOn, reminderMinutesBeforeStart: minutes }: WireReminder): Reminders {
  if (isReminderOn && minutes === DEFAULT_MINUTES) return { useDefault: true };
  return { useDefault: false, isReminderOn, overrides: isReminderOn ? [{ method: 'popup', minutes }] : [] };
}

function isSame(left: WireReminder, right: WireReminder): boolean {
  return (
    left.isReminderOn === right.isReminderOn && left.reminderMinutesBeforeStart === right.reminderMinutesBeforeStart
  );
}
