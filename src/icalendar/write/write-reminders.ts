import type { Reminders } from '../../model/index.ts';
import { type ReminderOverride, readAlarm } from '../read/read-reminders.ts';
import { type IcsComponent, textOf, withProperty } from '../text/component.ts';
import { type IcsProperty, writeContentLine, writeText } from '../text/content-line.ts';
import { X_REMINDERS } from '../x-names.ts';

/**
 * Writes reminders as alarms. Alarms that say what is wanted already stay as they are, and so do those that the interface cannot show,
 * unless reminders are switched off.
 */
export function writeReminders(
  component: IcsComponent,
  reminders: Reminders | null,
  context: { readonly startMs: number; readonly endMs: number; readonly email: string },
): IcsComponent {
  const isDefault = reminders === null || reminders.useDefault === true;
  const wanted = isDefault ? [] : (reminders.overrides ?? []);
  const isOff = reminders !== null && !isDefault && wanted.length === 0;
  const left = [...wanted];
  const components = component.components.filter((inner) => {
    if (inner.name !== 'VALARM') return true;
    const shown = readAlarm(inner, context);
    if (shown === undefined) return !isOff;
    const at = left.findIndex((override) => isSame(override, shown));
    if (at === -1) return false;
    left.splice(at, 1);
    return true;
  });
  const added = left.map((override) => alarm(override, textOf(component, 'summary'), context.email));
  const mark = reminders?.useDefault === true ? writeContentLine(X_REMINDERS, 'DEFAULT') : undefined;
  const isKept = added.length === 0 && components.length === component.components.length;
  const next = isKept ? component : { ...component, components: [...components, ...added] };
  return withProperty(next, X_REMINDERS.toLowerCase(), mark);
}

function isSame(one: ReminderOverride, other: ReminderOverride): boolean {
  return one.method === other.method && one.minutes === other.minutes;
}

function alarm({ method, minutes }: ReminderOverride, title: string, email: string): IcsComponent {
  const description = writeText('DESCRIPTION', title === '' ? 'Reminder' : title);
  const trigger = writeContentLine('TRIGGER', minutes === 0 ? 'PT0M' : `-${durationOf(minutes)}`);
  const properties: IcsProperty[] =
    method === 'email'
      ? [
          writeContentLine('ACTION', 'EMAIL'),
          trigger,
          description,
          writeText('SUMMARY', title === '' ? 'Reminder' : title),
          ...(email === '' ? [] : [writeContentLine('ATTENDEE', `mailto:${email}`)]),
        ]
      : [writeContentLine('ACTION', 'DISPLAY'), trigger, description];
  return { name: 'VALARM', properties, components: [] };
}

/** Hours and minutes are elapsed time, as the minutes of a reminder are; days would not be (RFC 5545 §3.3.6). */
function durationOf(minutes: number): string {
  return minutes % 60 === 0 ? `PT${minutes / 60}H` : `PT${minutes}M`;
}
