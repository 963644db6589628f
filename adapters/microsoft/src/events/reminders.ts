import type { Reminders } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import { MOST_REMINDERS } from '../capabilities.ts';
import type { WireEvent } from './event-wire.ts';
import type { KeptDetails } from './kept-properties.ts';

/** What Exchange gives an event about whose reminder nothing is said. */
const DEFAULT_MINUTES = 15;
/** The longest time before an event that the interface knows: four weeks. */
const MAX_MINUTES = 40_320;

/** Graph's one reminder. */
export interface WireReminder {
  readonly isReminderOn: boolean;
  readonly reminderMinutesBeforeStart: number;
}

/** What to write for reminders: Graph's one, and what is kept beside it where that one does not say it all. */
interface WrittenReminders extends WireReminder {
  readonly kept: Reminders | undefined;
}

/**
 * The reminders of an event. Graph has one, a popup, which is on or off; others and e-mails are kept beside it, and count
 * until somebody changes the one.
 */
export function readReminders(wire: WireEvent, details: KeptDetails): Reminders {
  const shown = {
    isReminderOn: wire.isReminderOn ?? false,
    reminderMinutesBeforeStart: Math.min(Math.max(wire.reminderMinutesBeforeStart ?? DEFAULT_MINUTES, 0), MAX_MINUTES),
  };
  const kept = details.reminders;
  return kept !== undefined && isSame(standInFor(kept), shown) ? kept : plainReminders(shown);
}

/** What to write for reminders; null stands for the default. @throws ProviderError unsupported for too many */
export function writeReminders(reminders: Reminders | null): WrittenReminders {
  if ((reminders?.overrides?.length ?? 0) > MOST_REMINDERS) {
    throw new ProviderError('unsupported', `an event has at most ${MOST_REMINDERS} reminders`, { field: 'reminders' });
  }
  const wanted = completed(reminders);
  const standIn = standInFor(wanted);
  const says = JSON.stringify(plainReminders(standIn)) === JSON.stringify(wanted);
  return { ...standIn, kept: says ? undefined : wanted };
}

/** Reminders with everything said: overrides alone replace the default, and nothing at all stands for it. */
function completed(reminders: Reminders | null): Reminders {
  const { useDefault, isReminderOn, overrides = [] } = reminders ?? {};
  if (isReminderOn === false) return { useDefault: false, isReminderOn, overrides };
  if (overrides.length > 0) return { useDefault: useDefault ?? false, isReminderOn: true, overrides };
  if (useDefault !== false) return { useDefault: true };
  return { useDefault, isReminderOn: isReminderOn ?? false, overrides };
}

/** The one reminder that stands for several: the first popup, else the first of any kind. */
function standInFor({ useDefault, isReminderOn, overrides = [] }: Reminders): WireReminder {
  const first = overrides.find(({ method }) => method === 'popup') ?? overrides[0];
  return {
    isReminderOn: isReminderOn ?? useDefault ?? false,
    reminderMinutesBeforeStart: first?.minutes ?? DEFAULT_MINUTES,
  };
}

/** The one reminder in neutral words. One that Exchange would have given by itself is the default. */
function plainReminders({ isReminderOn, reminderMinutesBeforeStart: minutes }: WireReminder): Reminders {
  if (isReminderOn && minutes === DEFAULT_MINUTES) return { useDefault: true };
  return { useDefault: false, isReminderOn, overrides: isReminderOn ? [{ method: 'popup', minutes }] : [] };
}

function isSame(left: WireReminder, right: WireReminder): boolean {
  return (
    left.isReminderOn === right.isReminderOn && left.reminderMinutesBeforeStart === right.reminderMinutesBeforeStart
  );
}
