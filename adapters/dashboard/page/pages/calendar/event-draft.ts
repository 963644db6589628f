import type { CalendarEvent, EventUpdate } from 'kalends/model';
import { addDays, dateOf, instantText, wallMsOf, wallTextAt } from '../../parts/wall-time.ts';
import { choiceOf, linesOf, NO_RECURRENCE, type RecurrenceChoice } from './recurrence-choice.ts';

/** New times of an event, in wall time of the zone that is shown; dates if all-day. */
export interface NewTimes {
  readonly start: string;
  readonly end: string;
  readonly isAllDay: boolean;
}

/** An event as the form shows it: days and times of the clock in `timeZone`, the last day inclusive. */
export interface EventDraft {
  readonly title: string;
  readonly isAllDay: boolean;
  readonly startDate: string;
  readonly startTime: string;
  readonly endDate: string;
  readonly endTime: string;
  readonly timeZone: string;
  readonly location: string;
  readonly description: string;
  readonly showAs: string;
  /** Addresses, a line each. */
  readonly guests: string;
  readonly recurrence: RecurrenceChoice;
}

const DEFAULT_TIMES = ['09:00', '10:00'] as const;

/** Returns the draft of a new event. */
export function newDraft({ start, end, isAllDay }: NewTimes, timeZone: string): EventDraft {
  return {
    title: '',
    location: '',
    description: '',
    showAs: 'busy',
    guests: '',
    recurrence: NO_RECURRENCE,
    timeZone,
    ...timesOf(start, end, isAllDay),
  };
}

/** Returns the draft of an event, with the recurrence of its series where it is an occurrence. */
export function draftOf(event: CalendarEvent, lines: readonly string[]): EventDraft {
  const { timeZone } = event.start;
  const wall = (text: string) => (event.isAllDay ? text.slice(0, 10) : wallTextAt(timeZone, Date.parse(text)));
  const start = wall(event.start.dateTime);
  return {
    title: event.title,
    location: event.location,
    description: event.description,
    showAs: event.showAs ?? (event.transparency === 'transparent' ? 'free' : 'busy'),
    guests: event.attendees.map(({ email }) => email).join('\n'),
    recurrence: choiceOf(lines, start.slice(0, 10)),
    timeZone,
    ...timesOf(start, wall(event.end.dateTime), event.isAllDay),
  };
}

function timesOf(start: string, end: string, isAllDay: boolean) {
  return {
    isAllDay,
    startDate: start.slice(0, 10),
    startTime: isAllDay ? DEFAULT_TIMES[0] : start.slice(11, 16),
    endDate: isAllDay ? addDays(end.slice(0, 10), -1) : end.slice(0, 10),
    endTime: isAllDay ? DEFAULT_TIMES[1] : end.slice(11, 16),
  };
}

/** Returns the draft with another start; the end moves along. */
export function withStart(draft: EventDraft, change: { startDate?: string; startTime?: string }): EventDraft {
  const next = { ...draft, ...change };
  const [before, after] = [wallOf(draft.startDate, draft.startTime), wallOf(next.startDate, next.startTime)];
  const end = wallOf(draft.endDate, draft.endTime);
  if (before === undefined || after === undefined || end === undefined) return next;
  const later = end + after - before;
  return { ...next, endDate: dateOf(later), endTime: new Date(later).toISOString().slice(11, 16) };
}

/** An input that is being typed has no value yet. */
const wallOf = (date: string, time: string) =>
  date === '' || time === '' ? undefined : wallMsOf(`${date}T${time}:00`);

/** Returns the fields of the interface for a draft. */
export function bodyOf(draft: EventDraft) {
  const { isAllDay, timeZone, guests } = draft;
  const time = (date: string, clock: string) => ({ dateTime: `${date}T${clock}:00`, timeZone });
  return {
    title: draft.title,
    start: isAllDay ? { date: draft.startDate } : time(draft.startDate, draft.startTime),
    end: isAllDay ? { date: addDays(draft.endDate || draft.startDate, 1) } : time(draft.endDate, draft.endTime),
    isAllDay,
    location: draft.location,
    description: draft.description,
    showAs: draft.showAs,
    attendees: guests
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map((email) => ({ email })),
    recurrence: linesOf(draft.recurrence, draft.startDate),
  };
}

/** Returns the body that creates an event: fields without a value are left out. */
export function createBodyOf(draft: EventDraft): EventUpdate {
  const body = Object.entries(bodyOf(draft)).filter(
    ([name, value]) =>
      name === 'title' || !(value === '' || value === false || (Array.isArray(value) && value.length === 0)),
  );
  return Object.fromEntries(body) as EventUpdate;
}

/** Returns the body that makes one draft of another: the fields that differ. Start and end go together. */
export function changesOf(before: EventDraft, after: EventDraft): EventUpdate {
  const [old, next] = [bodyOf(before), bodyOf(after)];
  const differs = (name: keyof typeof next) => JSON.stringify(old[name]) !== JSON.stringify(next[name]);
  const changed = (Object.keys(next) as (keyof typeof next)[]).filter(differs);
  const isTimed = changed.some((name) => name === 'start' || name === 'end' || name === 'isAllDay');
  const names = new Set([...changed, ...(isTimed ? (['start', 'end'] as const) : [])]);
  const entries = [...names].map((name) => [name, next[name]] as const);
  const body = Object.fromEntries(entries);
  // No line at all ends the recurrence.
  if (names.has('recurrence') && next.recurrence.length === 0) body['recurrence'] = null as never;
  return body as EventUpdate;
}

/** Returns the body that moves an event to new times: the same zone, another moment. */
export function moveBodyOf(event: CalendarEvent, { start, end, isAllDay }: NewTimes, zone: string): EventUpdate {
  if (isAllDay) return { start: { date: start }, end: { date: end } } as EventUpdate;
  return {
    start: { dateTime: instantText(zone, wallMsOf(start)), timeZone: event.start.timeZone },
    end: { dateTime: instantText(zone, wallMsOf(end)), timeZone: event.end.timeZone },
  };
}
