import type { Reminders } from '../../model/index.ts';
import { type IcsComponent, propertyOf, wordOf } from '../text/component.ts';
import { X_REMINDERS } from '../x-names.ts';

/** Most reminders and the longest time before the start that the interface has. */
const MOST_OVERRIDES = 5;
const MOST_MINUTES = 40_320;

export type ReminderOverride = NonNullable<Reminders['overrides']>[number];

/** Maps the alarms of an event; those that the interface cannot show are passed over, and stay in the text. */
export function readReminders(
  component: IcsComponent,
  times: { readonly startMs: number; readonly endMs: number },
): Reminders {
  const alarms = component.components.filter(({ name }) => name === 'VALARM');
  const overrides: ReminderOverride[] = [];
  for (const alarm of alarms) {
    const override = readAlarm(alarm, times);
    const isKnown = overrides.some(
      ({ method, minutes }) => method === override?.method && minutes === override.minutes,
    );
    if (override !== undefined && !isKnown && overrides.length < MOST_OVERRIDES) overrides.push(override);
  }
  if (overrides.length === 0 && wordOf(component, X_REMINDERS.toLowerCase()) === 'DEFAULT') return { useDefault: true };
  return { useDefault: false, isReminderOn: overrides.length > 0, overrides };
}

/** Maps one alarm; undefined for one after the start, too long before it, or of another kind. */
export function readAlarm(
  alarm: IcsComponent,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): ReminderOverride | undefined {
  const trigger = propertyOf(alarm, 'trigger');
  const action = wordOf(alarm, 'action');
  if (trigger === undefined || !['DISPLAY', 'AUDIO', 'EMAIL', ''].includes(action)) return undefined;
  const offsetMs = readOffset(trigger.raw);
  const isFromEnd = (trigger.parameters['related'] ?? '').toUpperCase() === 'END';
  const at = offsetMs === undefined ? readInstant(trigger.raw) : (isFromEnd ? endMs : startMs) + offsetMs;
  if (at === undefined) return undefined;
  const minutes = Math.round((startMs - at) / 60_000);
  if (minutes < 0 || minutes > MOST_MINUTES) return undefined;
  return { method: action === 'EMAIL' ? 'email' : 'popup', minutes: minutes === 0 ? 0 : minutes };
}

function readOffset(raw: string): number | undefined {
  const match = /^([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/.exec(
    raw.toUpperCase(),
  );
  if (match === null) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(2).map((part) => Number(part ?? 0));
  const length = ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  return match[1] === '-' ? -length : length;
}

/** An absolute trigger is in UTC (RFC 5545 §3.8.6.3). */
function readInstant(raw: string): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?$/.exec(raw.toUpperCase()) ?? [];
  if (year === undefined) return undefined;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? undefined : at;
}
