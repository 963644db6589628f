import type { CalendarEvent, EventCreate, EventUpdate } from 'kalends/model';
import { DAY_MS, formatDate, formatWall, instantOf, wallAt } from 'kalends/zones';
import { z } from 'zod';
import { createWritePair, type WritePlan } from '../previews/write-pair.ts';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { eventLines } from '../words/event-words.ts';
import { bodyFieldName, namingFields } from '../words/named-fields.ts';
import { quotedName, quotedStart } from '../words/quoted.ts';
import { recurrenceWords } from '../words/recurrence-words.ts';
import { timesWords, wallOf } from '../words/time-words.ts';
import { type ChangedTimes, readChangedTimes } from './changed-times.ts';
import { checkAttendees, checkEdit } from './checked-write.ts';
import { type EditedEvent, reachWords, readEdited, scope } from './edited-event.ts';
import { emails, notify, recurrenceLines, textFields } from './event-input.ts';
import { requireChangeable } from './guest-writes.ts';
import { accountId, calendarId, eventId, localTime, startWeekday, timeZone } from './inputs.ts';
import { keptWords } from './kept-fields.ts';
import { mailWords } from './mail-words.ts';
import {
  asInSeries,
  changedSeries,
  givenSeries,
  producesStart,
  type SeriesPlan,
  seriesWords,
} from './series-outlook.ts';
import { checkUnnamedZone } from './shown-zones.ts';

const input = z.strictObject({
  accountId,
  calendarId,
  eventId,
  scope,
  ...textFields,
  start: localTime('New start of exactly the event that eventId names, also where scope reaches further.').optional(),
  end: localTime('New end, exclusive. By default the length stays.').optional(),
  startWeekday,
  timeZone: timeZone.describe(
    "Zone of start and end; needed where the event's own is not that of its calendar or of the primary one. The event keeps its own, unless recurrence is given too.",
  ),
  recurrence: recurrenceLines
    .optional()
    .describe(
      'New rule, such as RRULE:FREQ=WEEKLY;BYDAY=WE, with scope following or all. Left out, the rule moves along with start.',
    ),
  addAttendees: emails.optional().describe('E-mail addresses of people to invite as well.'),
  removeAttendees: emails.optional().describe('E-mail addresses of people to take off.'),
  notifyAttendees: notify,
});
type Input = z.output<typeof input>;

const EXCEPTIONS =
  '  Occurrences that were changed one by one keep their change where the new dates still have them, and are gone elsewhere.';

/** The tools that change an event, an occurrence, or more of a series. */
export const changeEvent = createWritePair({
  name: 'change_event',
  title: 'Change an event',
  description: 'Moves or changes an event, one occurrence, an occurrence and all later ones, or a whole series.',
  input,
  isDestructive: true,
  plan,
});

async function plan(context: ToolContext, sent: Input): Promise<WritePlan> {
  const { engine, caller } = context;
  const edited = await readEdited(context, sent);
  const { event, scope, title, state, ownEmail } = edited;
  if (sent.recurrence !== undefined && scope === 'this') {
    throw new ToolRefusal('recurrence: one occurrence has no rule. Use scope following or all.');
  }
  const basis = basisOf(edited, sent);
  if (sent.timeZone === undefined) await checkUnnamedZone(context, sent, basis.start.timeZone, sent);
  const times = readChangedTimes(basis, sent, scope === 'this' ? event : (edited.series ?? event));
  const attendees = changedAttendees(edited, sent);
  const after = seriesAfter(edited, basis, sent, times);
  const rule = rewrittenRule(edited, times, sent, after);
  const body = bodyOf(sent, times, rule, attendees);
  if (Object.keys(body).length === 0) throw new ToolRefusal('Nothing is to be changed: give a field to change.');
  const added = addedEmails(event, sent);
  const people = edited.people && [...edited.people, ...added];
  const fieldOf = (email: string) => (added.includes(email) ? 'addAttendees' : 'attendee');
  await checkEdit(context, sent, edited, newOf(sent, added, times, rule && after), fieldOf);
  const listed = (attendees ?? []).map(({ email }) => email);
  const nameOf = bodyFieldName(listed, fieldOf);
  await namingFields(nameOf, checkAttendees(event, attendees));
  requireChangeable(edited, body);
  const ownFields = [
    ...(sent.title === undefined ? [] : (['title'] as const)),
    ...(sent.location === undefined ? [] : (['place'] as const)),
    ...(sent.description === undefined ? [] : (['description'] as const)),
    ...(attendees === undefined ? [] : (['attendees'] as const)),
  ];
  const kept = keptWords(edited, ownFields, after);
  return {
    words: [
      `Change ${quotedName(title)}.`,
      reachWords(edited),
      ...(scope === 'this' && event.isCancelled ? ['This occurrence is cancelled: this change brings it back.'] : []),
      ...changeWords(edited, basis, sent, times, after),
      ...kept,
      mailWords(people, ownEmail, sent.notifyAttendees, 'about a change of what they see'),
    ],
    state: JSON.stringify([state, kept]),
    async commit() {
      const { accountId, calendarId, eventId, notifyAttendees } = sent;
      const update = engine.events.update(caller, accountId, calendarId, eventId, body, {
        ifMatch: event.etag,
        ...(scope && { scope }),
        ...(notifyAttendees && { notifyAttendees }),
      });
      const written = await namingFields(nameOf, update);
      return [scope === 'following' ? 'The new series:' : 'It is now:', ...eventLines(written, undefined), ...kept];
    },
  };
}

/** The event as all that the scope reaches has it: an occurrence that was changed alone is written over by the slot of its series. */
function basisOf({ event, series, scope }: EditedEvent, { start, end, timeZone, recurrence }: Input): CalendarEvent {
  if (scope === 'this' || series === undefined || !event.isException) return event;
  const keepsTimes = [start, end, timeZone, recurrence].every((field) => field === undefined);
  return keepsTimes ? series : asInSeries(series, event);
}

function bodyOf(
  sent: Input,
  times: ChangedTimes | undefined,
  recurrence: readonly string[] | undefined,
  attendees: EventUpdate['attendees'],
): EventUpdate {
  return {
    ...(sent.title === undefined ? {} : { title: sent.title }),
    ...(sent.location === undefined ? {} : { location: sent.location }),
    ...(sent.description === undefined ? {} : { description: sent.description }),
    ...times?.body,
    ...(recurrence === undefined ? {} : { recurrence: [...recurrence] }),
    ...(attendees === undefined ? {} : { attendees }),
  };
}

/** Returns what a change writes as a new event would have it. `ruled` is the series where its rule is written. */
function newOf(
  { title, location, description }: Input,
  added: readonly string[],
  times: ChangedTimes | undefined,
  ruled: SeriesPlan | undefined,
): Partial<EventCreate> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(location === undefined ? {} : { location }),
    ...(description === undefined ? {} : { description }),
    ...(times === undefined ? {} : { start: newStart(times) }),
    ...(ruled === undefined || isSkipped(ruled) ? {} : ruleOf(ruled)),
    attendees: added.map((email) => ({ email })),
  };
}

function newStart({ startMs, isAllDay, timeZone }: Omit<SeriesPlan, 'lines'>) {
  return isAllDay ? { date: formatDate(startMs) } : { dateTime: formatWall(startMs), timeZone };
}

/** Without a length, so that the end is at no time that the clocks skip. */
function ruleOf(plan: SeriesPlan): Pick<EventCreate, 'start' | 'end' | 'recurrence'> {
  const start = newStart(plan);
  return { start, ...(plan.isAllDay ? {} : { end: start }), recurrence: [...plan.lines] };
}

/** No new series can begin at a time that the clocks skip; one that does already keeps it. */
function isSkipped({ startMs, isAllDay, timeZone }: SeriesPlan): boolean {
  return !isAllDay && wallAt(timeZone, instantOf(timeZone, startMs)) !== startMs;
}

/** Returns who is to be invited as well, each once and without those who are there. */
function addedEmails({ attendees }: CalendarEvent, { addAttendees = [] }: Input): readonly string[] {
  const known = new Set(attendees.map(({ email }) => email.toLowerCase()));
  return addAttendees.filter((email) => {
    const isNew = !known.has(email.toLowerCase());
    known.add(email.toLowerCase());
    return isNew;
  });
}

function changedAttendees({ event, series, scope }: EditedEvent, sent: Input): EventUpdate['attendees'] {
  const { addAttendees = [], removeAttendees = [] } = sent;
  if (addAttendees.length + removeAttendees.length === 0) return undefined;
  const { attendees } = event;
  const lower = (email: string) => email.toLowerCase();
  const known = new Set(attendees.map(({ email }) => lower(email)));
  // One list is written to all that the scope reaches: it would invite this occurrence's people to the others, or drop them here.
  const others = scope === 'this' || series === undefined ? attendees : series.attendees;
  if (others.length !== known.size || others.some(({ email }) => !known.has(lower(email)))) {
    throw new ToolRefusal(
      'addAttendees and removeAttendees: this occurrence has other attendees than its series. Use scope this, or the eventId of an occurrence that was not changed, or of the series with scope all.',
    );
  }
  const unknown = removeAttendees.find((email) => !known.has(lower(email)));
  if (unknown !== undefined) {
    throw new ToolRefusal(`removeAttendees: ${quotedName(unknown)} is no attendee. Read the event with get_event.`);
  }
  const gone = new Set(removeAttendees.map(lower));
  return [
    ...attendees.filter(({ email }) => !gone.has(lower(email))),
    ...addedEmails(event, sent).map((email) => ({ email })),
  ];
}

function changeWords(
  edited: EditedEvent,
  basis: CalendarEvent,
  sent: Input,
  times: ChangedTimes | undefined,
  after: SeriesPlan | undefined,
): readonly string[] {
  const text = (name: string, before: string, after: string | undefined) =>
    after === undefined ? [] : [`  ${name}: ${quotedStart(before, 200)} becomes ${quotedStart(after, 500)}`];
  const added = addedEmails(edited.event, sent);
  const known = new Set(edited.event.attendees.map(({ email }) => email.toLowerCase()));
  const present = (sent.addAttendees ?? []).filter((email) => known.has(email.toLowerCase()));
  return [
    ...text('title', basis.title, sent.title),
    ...text('place', basis.location, sent.location),
    ...text('description', basis.description, sent.description),
    ...(times === undefined ? [] : [`  when: ${timesWords(basis)} becomes ${timesWords(times.shown)}`]),
    ...(times?.given === undefined
      ? []
      : [`  in the zone that was named: ${timesWords(times.given)}; the event keeps its own, ${times.timeZone}`]),
    ...repeatWords(edited, after),
    ...emailLine('invited as well', added),
    ...emailLine('there already', present),
    ...emailLine('taken off', sent.removeAttendees ?? []),
  ];
}

function emailLine(name: string, emails: readonly string[]): readonly string[] {
  return emails.length === 0 ? [] : [`  ${name}: ${emails.map(quotedName).join(', ')}`];
}

/** Returns the series as it goes on, where a change gives it other dates. */
function seriesAfter(
  { event, series, scope }: EditedEvent,
  basis: CalendarEvent,
  sent: Input,
  times: ChangedTimes | undefined,
): SeriesPlan | undefined {
  if (scope === 'this' || (sent.start === undefined && sent.recurrence === undefined)) return undefined;
  const isAllDay = times?.isAllDay ?? basis.isAllDay;
  const timeZone = times?.timeZone ?? basis.start.timeZone;
  const whole = series ?? event;
  if (scope !== undefined && whole.recurrence !== null) {
    const startMs = sent.start === undefined ? undefined : times?.startMs;
    const change = { scope, startMs, isAllDay, timeZone, lines: sent.recurrence };
    return changedSeries(whole, series === undefined ? undefined : event, change);
  }
  const startMs = times?.startMs ?? wallOf(basis.start);
  return sent.recurrence && givenSeries({ isAllDay, startMs, timeZone, lines: sent.recurrence });
}

/** Returns the rule to write. A series that is moved by its own id keeps its rule, which may lack the new day or time of day. */
function rewrittenRule(
  { event, series, scope }: EditedEvent,
  times: ChangedTimes | undefined,
  { recurrence }: Input,
  after: SeriesPlan | undefined,
): readonly string[] | undefined {
  const isMoved = recurrence === undefined && scope === 'all' && series === undefined && times !== undefined;
  if (!isMoved || after === undefined) return recurrence;
  const lines = event.recurrence ?? [];
  if (after.lines.join('\n') === lines.join('\n')) return undefined;
  const dayOf = (wallMs: number) => Math.floor(wallMs / DAY_MS);
  const isSameDay = dayOf(times.startMs) === dayOf(wallOf(event.start));
  return isSameDay && producesStart({ ...after, lines }) ? undefined : after.lines;
}

function repeatWords({ event, series, scope }: EditedEvent, after: SeriesPlan | undefined): readonly string[] {
  if (after === undefined) return [];
  const before = (series ?? event).recurrence;
  if (scope === undefined || before === null) return seriesWords(after);
  return [`  so far it repeats ${recurrenceWords(before)}`, ...seriesWords(after), EXCEPTIONS];
}
