import type { EventFields, MicrosoftWorld, StoredCalendar, StoredEvent } from '../state.ts';
import { recordSlotChanged, recordUpdated } from '../sync/changes.ts';
import { distributeMeeting } from './meetings.ts';

const RULE = '________________________________________________________________________________';

/** Returns the text that Teams puts below an invitation; an event whose body loses it loses its meeting. */
const joinBlob = (joinUrl: string): string =>
  `<br><div class="me-email-text"><div>${RULE}</div><a href="${joinUrl}">Join the meeting now</a><div>${RULE}</div></div>`;

/**
 * Applies a request for an online meeting: a join link, at once or later, if the calendar allows the provider,
 * otherwise nothing. An existing meeting stays.
 */
export function withOnlineMeeting(
  world: MicrosoftWorld,
  calendar: StoredCalendar,
  fields: EventFields,
  asked: { readonly isOnlineMeeting?: boolean | null | undefined; readonly provider?: string | null | undefined },
): EventFields {
  if (asked.isOnlineMeeting !== true || fields.isOnlineMeeting) return fields;
  const provider =
    asked.provider && asked.provider !== 'unknown' ? asked.provider : calendar.allowedOnlineMeetingProviders[0];
  if (provider === undefined || !calendar.allowedOnlineMeetingProviders.includes(provider)) return fields;
  const online: EventFields = { ...fields, isOnlineMeeting: true, onlineMeetingProvider: provider };
  const { meetingDelayMs } = world.state.settings;
  if (meetingDelayMs === 0) return { ...online, ...joined(world, online) };
  const meetingDueAt = world.kernel.clock.now() + meetingDelayMs;
  world.state.nextMeetingAt = Math.min(world.state.nextMeetingAt ?? meetingDueAt, meetingDueAt);
  return { ...online, meetingDueAt };
}

/** Returns the fields that a join link changes. */
function joined(world: MicrosoftWorld, fields: EventFields): Pick<EventFields, 'joinUrl' | 'meetingDueAt' | 'body'> {
  const joinUrl = `https://teams.example/l/meetup-join/${world.kernel.randomText(32)}`;
  return {
    joinUrl,
    meetingDueAt: null,
    body: { contentType: 'html', content: `${fields.body.content}${joinBlob(joinUrl)}` },
  };
}

/** Gives due meetings their join links, each as a change of its event. */
export function finishMeetings(world: MicrosoftWorld): void {
  const { state } = world;
  const now = world.kernel.clock.now();
  if (state.nextMeetingAt === null || state.nextMeetingAt > now) return;
  state.nextMeetingAt = null;
  for (const calendar of Object.values(state.calendars)) {
    for (const event of Object.values(calendar.events)) finishMeetingsOf(world, calendar, event, now);
  }
}

function finishMeetingsOf(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent, now: number): void {
  let isChanged = false;
  for (const [date, exception] of Object.entries(event.series?.exceptions ?? {})) {
    if (!isDue(world, exception.fields, now)) continue;
    exception.fields = { ...exception.fields, ...joined(world, { ...event.fields, ...exception.fields }) };
    recordSlotChanged(world, calendar, event, date, 'exception');
    isChanged = true;
  }
  if (isDue(world, event.fields, now)) {
    event.fields = { ...event.fields, ...joined(world, event.fields) };
    recordUpdated(world, calendar, event);
    isChanged = true;
  }
  if (isChanged) distributeMeeting(world, event, event.fields.attendees);
}

/** Tells whether a join link is due, and notes one that is due later. */
function isDue(world: MicrosoftWorld, { meetingDueAt }: Partial<EventFields>, now: number): boolean {
  if (meetingDueAt == null) return false;
  if (meetingDueAt > now) world.state.nextMeetingAt = Math.min(world.state.nextMeetingAt ?? meetingDueAt, meetingDueAt);
  return meetingDueAt <= now;
}

/** Removes the meeting of an event whose new body lacks the join text. */
export function afterBodyChange(fields: EventFields): EventFields {
  if (fields.joinUrl === null || fields.body.content.includes(fields.joinUrl)) return fields;
  return { ...fields, isOnlineMeeting: false, onlineMeetingProvider: 'unknown', joinUrl: null };
}
