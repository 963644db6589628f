import type { EventFields, MicrosoftWorld, StoredCalendar } from './state.ts';

const RULE = '________________________________________________________________________________';

/** The text that Teams puts below an invitation; without it in the body the meeting is lost. */
const joinBlob = (joinUrl: string): string =>
  `<br><div class="me-email-text"><div>${RULE}</div><a href="${joinUrl}">Join the meeting now</a><div>${RULE}</div></div>`;

/**
 * What asking for an online meeting does: a join link where the calendar allows the provider, otherwise nothing at
 * all. Once made it stays.
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
  const joinUrl = `https://teams.example/l/meetup-join/${world.kernel.randomText(32)}`;
  return {
    ...fields,
    isOnlineMeeting: true,
    onlineMeetingProvider: provider,
    joinUrl,
    body: { contentType: 'html', content: `${fields.body.content}${joinBlob(joinUrl)}` },
  };
}

/** A new body that has lost the join link takes the meeting with it. */
export function afterBodyChange(fields: EventFields): EventFields {
  if (fields.joinUrl === null || fields.body.content.includes(fields.joinUrl)) return fields;
  return { ...fields, isOnlineMeeting: false, onlineMeetingProvider: 'unknown', joinUrl: null };
}
