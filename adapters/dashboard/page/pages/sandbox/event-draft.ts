import type { sandboxTexts } from '../../texts/en/sandbox.ts';
import { laterWall, type MailboxEvent } from './mailboxes.ts';

export type Rule = keyof typeof sandboxTexts.event.rules;

/** The fields of the form. Times are those of the mailbox's zone; an all-day event ends on its last day. */
export interface Draft {
  readonly title: string;
  readonly isAllDay: boolean;
  readonly start: string;
  readonly end: string;
  readonly rule: Rule;
  readonly guests: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const RULES: Readonly<Record<Rule, readonly string[]>> = {
  none: [],
  DAILY: ['RRULE:FREQ=DAILY'],
  WEEKDAYS: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
  WEEKLY: ['RRULE:FREQ=WEEKLY'],
  MONTHLY: ['RRULE:FREQ=MONTHLY'],
};

/** Returns the form of an event; of a new one, tomorrow at three. */
export function draftOf(event: MailboxEvent | undefined, now: number): Draft {
  if (event === undefined) {
    const day = new Date(now + DAY_MS).toISOString().slice(0, 10);
    return { title: '', isAllDay: false, start: `${day}T15:00`, end: `${day}T16:00`, rule: 'none', guests: '' };
  }
  const { title, isAllDay, start, end, attendees } = event;
  const guests = attendees.map(({ email }) => email).join(', ');
  return { title, isAllDay, start, end: isAllDay ? laterWall(end, -DAY_MS) : end, rule: 'none', guests };
}

/** Returns what a form writes. */
export function bodyOfDraft({ title, isAllDay, start, end, rule, guests }: Draft, event: MailboxEvent | undefined) {
  const attendees = guests.split(/[\s,;]+/).filter((guest) => guest !== '');
  const times = isAllDay
    ? { start: start.slice(0, 10), end: laterWall(end.slice(0, 10), DAY_MS) }
    : { start: withClock(start), end: withClock(end) };
  const lines = RULES[rule];
  const isSameGuests = event !== undefined && attendees.join() === event.attendees.map(({ email }) => email).join();
  return {
    title,
    ...times,
    ...(isSameGuests ? {} : { attendees }),
    ...(event === undefined && lines.length > 0 ? { recurrence: lines } : {}),
  };
}

/** A date that was an all-day event's begins at nine. */
const withClock = (wall: string): string => (wall.includes('T') ? wall.slice(0, 16) : `${wall}T09:00`);

/** Returns the times of a whole series whose occurrence was moved in the form: moved as far, and as long. */
export function seriesTimes(series: MailboxEvent, event: MailboxEvent, draft: Draft): { start: string; end: string } {
  const { start, end } = bodyOfDraft(draft, event);
  const at = (wall: string) => Date.parse(wall.includes('T') ? `${wall.slice(0, 16)}:00Z` : `${wall}T00:00:00Z`);
  const first = draft.isAllDay ? series.start.slice(0, 10) : withClock(series.start);
  const moved = laterWall(first, at(start) - at(draft.isAllDay ? event.start.slice(0, 10) : withClock(event.start)));
  return { start: moved, end: laterWall(moved, at(end) - at(start)) };
}
