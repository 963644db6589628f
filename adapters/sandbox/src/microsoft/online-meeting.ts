import { recordSlotChanged, recordUpdated } from './changes.ts';
import { distributeMeeting } from './meetings.ts';
import type { EventFields, MicrosoftWorld, StoredCalendar, StoredEvent } from './state.ts';

const RULE = '________________________________________________________________________________';

/** The text that Teams puts below an invitation; without it in the body the meeting is lost. */
const joinBlob = (joinUrl: string): string =>
  `<br><div class="me-email-text"><div>${RULE}</div><a href="${joinUrl}">Join the meeting now</a><div>${RULE}</div></div>`;

/**
 * What asking for an online meeting does: a join link, at once or after a while, where the calendar allows the provider,
 * otherwise nothing at all. Once made it stays.
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

/** The fields that a join link changes. */
function joined(world: MicrosoftWorld, fields: EventFields): Pick<EventFields, 'joinUrl' | 'meetingDueAt' | 'body'> {
  const joinUrl = `https://teams.example/l/meetup-join/${world.kernel.randomText(32)}`;
  return {
    joinUrl,
    meetingDueAt: null,
    body: { contentType: 'html', content: `${fields.body.content}${joinBlob(joinUrl)}` },
  };
}

/** Gives the meetings whose time has come their join links, each as a change of its event. */
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

/** Whether a join link is due; one that is due later is noted. */
function isDue(world: MicrosoftWorld, { meetingDueAt }: Partial<EventFields>, now: number): boolean {
  if (meetingDueAt == null) return false;
  if (meetingDueAt > now) world.state.nextMeetingAt = Math.min(world.state.nextMeetingAt ?? meetingDueAt, meetingDueAt);
  return meetingDueAt <= now;
}

/** A new body that has lost the join link takes the meeting with it. */
export function afterBodyChange(fields: EventFields): EventFields {
  if (fields.joinUrl === null || fields.body.content.includes(fields.joinUrl)) return fields;
  return { ...fields, isOnlineMeeting: false, onlineMeetingProvider: 'unknown', joinUrl: null };
}
