import type { Calendar, CalendarEvent, EventDateTime } from 'kalends/model';
import { instantOfText } from 'kalends/zones';
import { estimatedTokens } from './paged-answer.ts';
import { quoted, quotedName, quotedStart } from './quoted.ts';
import { recurrenceWords } from './recurrence-words.ts';
import { dayWords, pointWords, timesWords, wallOf } from './time-words.ts';

/** Characters of a description in an answer. */
const DESCRIPTION_LENGTH = 1_500;
const ATTENDEES = 20;
const LINK_LENGTH = 2_000;

/** Returns an event as the lines of a list. `series` is the series of an occurrence, where it is known. */
export function eventLines(event: CalendarEvent, series: CalendarEvent | undefined): readonly string[] {
  return [
    `- ${quotedName(event.title)}`,
    `  when: ${timesWords(event)}${event.isCancelled ? '. CANCELLED' : ''}`,
    ...movedLine(event),
    ...seriesLines(event, series),
    ...(event.location === '' ? [] : [`  place: ${quotedStart(event.location, 200)}`]),
    ...answerLine(event),
    `  eventId: ${quoted(event.id)}`,
  ];
}

/** Returns all that an agent may want of one event. Description and attendees take what the rest leaves of a number of tokens. */
export function eventDetails(
  event: CalendarEvent,
  series: CalendarEvent | undefined,
  tokenBudget: number,
): readonly string[] {
  const { description, transparency, conferenceData } = event;
  const first = [...eventLines(event, series), ...organizerLine(event)];
  const last = [
    `  blocks time: ${transparency === 'opaque' ? 'yes' : 'no'}`,
    ...(conferenceData?.joinUrl === undefined ? [] : [`  online: ${quotedStart(conferenceData.joinUrl, LINK_LENGTH)}`]),
    ...scopeLines(event),
  ];
  const left = Math.max(0, tokenBudget - estimatedTokens([...first, ...last].join('\n')));
  // In any script a character takes a token at most.
  const length = Math.min(DESCRIPTION_LENGTH, Math.floor(left / 2));
  const described = description === '' ? [] : [`  description: ${quotedStart(description, length)}`];
  return [...first, ...described, ...attendeeLines(event, left - estimatedTokens(described.join('\n'))), ...last];
}

function movedLine({ originalStart, start, isAllDay }: CalendarEvent): readonly string[] {
  if (originalStart === undefined) return [];
  const original =
    'date' in originalStart ? { dateTime: `${originalStart.date}T00:00:00`, timeZone: start.timeZone } : originalStart;
  const at = (point: EventDateTime) => instantOfText(point.dateTime, isAllDay ? 'UTC' : point.timeZone);
  if (at(original) === at(start)) return [];
  const words = isAllDay ? dayWords(wallOf(original)) : pointWords(original.dateTime, original.timeZone);
  return [`  moved here from: ${words}`];
}

function seriesLines(event: CalendarEvent, series: CalendarEvent | undefined): readonly string[] {
  if (event.recurrence !== null) return [`  repeats: ${recurrenceWords(event.recurrence)} (this is the series)`];
  if (event.recurringEventId === undefined) return [];
  const rule = series?.recurrence == null ? '' : `, which repeats ${recurrenceWords(series.recurrence)}`;
  return [`  one occurrence of a series${rule}`, `  seriesId: ${quoted(event.recurringEventId)}`];
}

function answerLine({ myResponseStatus, organizer }: CalendarEvent): readonly string[] {
  return myResponseStatus === undefined || organizer?.isSelf !== false
    ? []
    : [`  own answer to the invitation: ${myResponseStatus}`];
}

function organizerLine({ organizer }: CalendarEvent): readonly string[] {
  if (organizer === undefined) return [];
  return [`  organizer: ${organizer.isSelf ? 'this account' : quotedName(organizer.email ?? organizer.name ?? '')}`];
}

function attendeeLines({ attendees }: CalendarEvent, tokenBudget: number): readonly string[] {
  if (attendees.length === 0) return [];
  const lines = attendees.slice(0, ATTENDEES).map(({ email, name, responseStatus, kind }) => {
    const person = name === '' || name === email ? quotedName(email) : `${quotedName(name)} ${quotedName(email)}`;
    return `    ${person}: ${responseStatus}${kind === 'required' ? '' : `, ${kind}`}`;
  });
  const shown: string[] = [];
  let left = tokenBudget;
  for (const line of lines) {
    left -= estimatedTokens(line);
    if (left < 0) break;
    shown.push(line);
  }
  const others = attendees.length - shown.length;
  return [`  attendees (${attendees.length}):`, ...shown, ...(others === 0 ? [] : [`    and ${others} more`])];
}

/** Spells out the question of scope for an event that repeats. */
export function scopeLines(event: CalendarEvent): readonly string[] {
  if (event.recurringEventId !== undefined) {
    return [
      '  A change or cancellation needs a scope; ask the person which one is meant:',
      `    this: only ${timesWords(event)}; the series stays`,
      '    following: this one and all later ones; earlier ones stay',
      '    all: the whole series, past ones included',
    ];
  }
  if (event.recurrence === null) return [];
  return [
    '  This id is the series: with scope all a change reaches every occurrence. For one of them, or for one and all later ones,',
    '  take the eventId of that occurrence from list_occurrences.',
  ];
}

/** Returns a calendar as the lines of a list. */
export function calendarLines(calendar: Calendar, now: string): readonly string[] {
  const traits = [
    ...(calendar.isPrimary ? ['primary'] : []),
    ...(calendar.readOnly ? ['read-only'] : []),
    ...(calendar.isShared ? ['shared'] : []),
  ];
  return [
    `- ${quotedName(calendar.name)}${traits.length === 0 ? '' : ` (${traits.join(', ')})`}`,
    `  time zone: ${calendar.timeZone}; there it is ${now}`,
    `  calendarId: ${quoted(calendar.id)}`,
  ];
}
