import type { IcsGroup } from '../icalendar/index.ts';
import type { ImportProblem } from '../ports/index.ts';

/** Properties that are read into fields of an event. */
const READ = [
  ...['SUMMARY', 'DESCRIPTION', 'LOCATION', 'GEO', 'CATEGORIES', 'COLOR', 'CONFERENCE', 'CLASS', 'TRANSP', 'STATUS'],
  ...['ATTENDEE', 'ORGANIZER', 'ATTACH', 'DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'EXRULE'],
];
/** Properties by which programs tell events and their versions apart. */
const BOOKKEEPING = ['UID', 'RECURRENCE-ID', 'SEQUENCE', 'DTSTAMP', 'CREATED', 'LAST-MODIFIED', 'REQUEST-STATUS'];
const SILENT = new Set([...READ, ...BOOKKEEPING]);
/** None, and the one in the middle, which Outlook gives every event. */
const USUAL_PRIORITY = /^[05]$/;

/** Names told of one UID, and characters of a name: a text that lost its folds has each word before a colon as one. */
const MOST_NAMES = 20;
const LONGEST_NAME = 64;

/** Lines end in CRLF alone: texts may hold U+2028, which the flag `m` takes for an end too. */
const LINE = /(?:^|\r\n)([A-Za-z0-9-]+)[;:]([^\r\n]*)/g;
const COMPONENT_NAME = /^[A-Z0-9-]{1,64}$/;

/**
 * Names what the events of one UID have that no field of the interface holds: properties, save those of programs (`X-…`), components, and
 * alarms. Each once, with a rule, and of many names how many more there are.
 * @param components as `printComponents` writes them
 */
export function leftOutOf(components: string, group: IcsGroup): readonly ImportProblem[] {
  const names = new Set<string>();
  const open: string[] = [];
  let isCancelled = false;
  let alarm = { action: '', trigger: '' };
  const ofEvent = new Set<string>();
  let alarms = 0;

  function begin(name: string): void {
    open.push(name);
    if (open.length === 1) isCancelled = false;
    if (open.length !== 2) return;
    alarm = { action: '', trigger: '' };
    if (name !== 'VALARM') names.add(name);
  }

  function end(): void {
    const name = open.pop();
    // Apple's programs write an alarm of the action NONE for an event that shall have none.
    if (open.length === 1 && name === 'VALARM' && alarm.action !== 'NONE') {
      ofEvent.add(`${alarm.action === 'EMAIL'} ${alarm.trigger}`);
    }
    if (open.length > 0) return;
    if (!isCancelled) alarms += ofEvent.size;
    ofEvent.clear();
  }

  for (const [, written = '', value = ''] of components.matchAll(LINE)) {
    const name = written.slice(0, LONGEST_NAME).toUpperCase();
    const isEdge = (name === 'BEGIN' || name === 'END') && COMPONENT_NAME.test(value);
    if (isEdge && name === 'BEGIN') begin(value);
    else if (isEdge) end();
    else if (open.length === 2 && name === 'ACTION') alarm.action = value.trim().toUpperCase();
    else if (open.length === 2 && name === 'TRIGGER') alarm.trigger = value;
    else if (open.length === 1) {
      if (name === 'STATUS') isCancelled = /cancelled/i.test(value);
      const isSilent = SILENT.has(name) || name.startsWith('X-') || (name === 'PRIORITY' && USUAL_PRIORITY.test(value));
      if (!isSilent) names.add(name);
    }
  }
  const events = [...(group.master === undefined ? [] : [group.master]), ...group.exceptions];
  const shown = events.reduce((sum, { content }) => sum + (content?.reminders.overrides?.length ?? 0), 0);
  const others = names.size - MOST_NAMES;
  return [
    ...[...names].slice(0, MOST_NAMES).map((field) => ({ field, rule: 'is not imported' })),
    ...(others === 1 ? [{ field: 'and 1 other', rule: 'is not imported' }] : []),
    ...(others > 1 ? [{ field: `and ${others} others`, rule: 'are not imported' }] : []),
    ...(alarms > shown ? [{ field: 'VALARM', rule: 'is not imported where it is no reminder of the event' }] : []),
  ];
}
