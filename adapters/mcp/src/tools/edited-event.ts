import { type CalendarEvent, type EditScope, editScope } from 'kalends/model';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { timesWords } from '../words/time-words.ts';
import { allPages, PAGE } from './account-reads.ts';
import { attendeesOf, peopleOf } from './mail-words.ts';

export const scope = editScope
  .optional()
  .describe('Needed for an event that repeats: this occurrence, it and all following ones, or all of the series.');

/** An event that is to be written, with its series. */
export interface EditedEvent {
  readonly event: CalendarEvent;
  /** Series of an occurrence. */
  readonly series: CalendarEvent | undefined;
  /** Undefined for an event that does not repeat. */
  readonly scope: EditScope | undefined;
  /** The series where the scope reaches more of it than the event. */
  readonly whole: CalendarEvent;
  /** Whether another person organizes it, for whom the account does not write. */
  readonly isGuest: boolean;
  /** Occurrences that were changed alone, of those that a scope of several reaches. */
  readonly reached: readonly CalendarEvent[];
  /** Title of all that the scope reaches. */
  readonly title: string;
  /** Addresses of the people of all that the scope reaches; undefined where its series cannot be read. */
  readonly people: readonly string[] | undefined;
  /** Addresses of the attendees that the write may send mail to; for a guest, the account's own. */
  readonly mailed: readonly string[];
  /** Changes with the event and, where the scope reaches further, with its series and their people. */
  readonly state: string;
  /** Address of the account. */
  readonly ownEmail: string;
}

/** Reads the event of a write with all that its scope reaches. @throws ToolRefusal with the question of scope */
export async function readEdited(
  context: ToolContext,
  sent: {
    readonly accountId: string;
    readonly calendarId: string;
    readonly eventId: string;
    readonly scope?: EditScope | undefined;
  },
): Promise<EditedEvent> {
  const { engine, caller } = context;
  const { accountId, calendarId, eventId } = sent;
  const [account, event] = await Promise.all([
    engine.accounts.get(caller, accountId),
    engine.events.get(caller, accountId, calendarId, eventId),
  ]);
  const scope = checkScope(event, sent.scope);
  const { recurringEventId } = event;
  const series =
    recurringEventId === undefined || (scope === 'this' && event.isCancelled)
      ? undefined
      : await engine.events.get(caller, accountId, calendarId, recurringEventId).catch(() => undefined);
  const isOne = scope === undefined || scope === 'this';
  const whole = isOne ? event : (series ?? event);
  const isGuest = await isGuestOf(context, sent, whole);
  const ownEmail = account.email;
  const ofOne = { event, series, scope, whole, isGuest, ownEmail, title: whole.title };
  const mailedOf = (events: readonly CalendarEvent[]) => (isGuest ? [ownEmail] : events.flatMap(attendeesOf));
  if (isOne) {
    const state = `${event.id} ${event.etag}`;
    return { ...ofOne, reached: [], people: peopleOf(event), mailed: mailedOf([event]), state };
  }
  const isWhole = series !== undefined || recurringEventId === undefined;
  const exceptions = await changedOccurrences(context, sent, series?.id ?? event.id);
  const reached = scope === 'all' ? exceptions : exceptions.filter((each) => slotMs(each) >= slotMs(event));
  const events = [event, ...(series ? [series] : []), ...reached];
  const people = isWhole ? events.flatMap(peopleOf) : undefined;
  const state = JSON.stringify([event.id, event.etag, series?.etag, people]);
  return { ...ofOne, reached, people, mailed: mailedOf(events), state };
}

/** Returns whether an event is organized by neither the account nor the calendar's owner, so that the account is a guest. */
async function isGuestOf(
  { engine, caller }: ToolContext,
  { accountId, calendarId }: { readonly accountId: string; readonly calendarId: string },
  { organizer }: CalendarEvent,
): Promise<boolean> {
  if (organizer?.isSelf !== false) return false;
  const { isShared, inviteEmail } = await engine.calendars.get(caller, accountId, calendarId);
  return !isShared || organizer.email?.toLowerCase() !== inviteEmail.toLowerCase();
}

/** Lists the occurrences of a series that differ from it, with people of their own perhaps. */
function changedOccurrences(
  { engine, caller }: ToolContext,
  { accountId, calendarId }: { readonly accountId: string; readonly calendarId: string },
  seriesId: string,
): Promise<readonly CalendarEvent[]> {
  return allPages(
    (next) =>
      engine.events.list(caller, accountId, calendarId, {
        isCancelled: false,
        limit: PAGE,
        ...(next && { pageToken: next }),
      }),
    ({ recurringEventId }) => recurringEventId === seriesId,
  );
}

/** Returns when an occurrence begins by the rule of its series. */
export function slotMs({ originalStart, start }: CalendarEvent): number {
  const slot = originalStart ?? start;
  return Date.parse('date' in slot ? slot.date : slot.dateTime);
}

/** Returns the reach of a write in words. */
export function reachWords({ event, series, scope }: EditedEvent): string {
  switch (scope) {
    case undefined:
      return `Reach: this event alone; it does not repeat. It is on ${timesWords(event)}.`;
    case 'this':
      return `Reach: only ${timesWords(event)}; the series stays.`;
    case 'following':
      return `Reach: ${timesWords(event)} and all later occurrences; earlier ones stay.`;
    case 'all':
      return `Reach: the whole series, past occurrences included. It began on ${timesWords(series ?? event)}.`;
  }
}

function checkScope(event: CalendarEvent, scope: EditScope | undefined): EditScope | undefined {
  const isOccurrence = event.recurringEventId !== undefined;
  if (!isOccurrence && event.recurrence === null) {
    if (scope === undefined || scope === 'this') return undefined;
    throw new ToolRefusal('scope: this event does not repeat. Leave scope out.');
  }
  if (isOccurrence && scope !== undefined) return scope;
  if (isOccurrence) {
    throw new ToolRefusal(
      `scope: the event repeats. Ask the person which is meant, then call again with scope this (only ${timesWords(event)}), following (this one and all later ones) or all (the whole series).`,
    );
  }
  if (scope === 'all') return scope;
  throw new ToolRefusal(
    'scope: this eventId is a whole series, so scope has to be all. For one occurrence, or for one and all later ones, call list_occurrences and take the eventId of that occurrence.',
  );
}
