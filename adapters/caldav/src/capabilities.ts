import type { CalendarRef, ProviderCapabilities } from 'kalends/ports';
import { serverKindOfId } from './server-kind.ts';

/** Longest description: no server states a limit, and half a million characters reach every one of those measured. */
export const LONGEST_DESCRIPTION = 100_000;
export const MOST_REMINDERS = 5;
const MOST_ATTENDEES = 200;

/** Returns the limits of a CalDAV calendar's events, which are those of RFC 5545 and of the server. */
export function capabilitiesOf(calendar: CalendarRef): ProviderCapabilities {
  const schedules = serverKindOfId(calendar.id) !== 'other';
  return {
    colorIds: 'any',
    visibilities: ['default', 'public', 'private', 'confidential'],
    eventTypes: ['default', 'outOfOffice', 'focusTime'],
    keepsUidOf: ['default', 'outOfOffice', 'focusTime'],
    changesEventType: true,
    bareEventTypes: [],
    publicProperties: schedules ? 'attendees' : 'account',
    meetings: { providers: [], defaultProvider: '', givenByHand: true, removable: true },
    reminders: { methods: ['popup', 'email'], maxOverrides: MOST_REMINDERS },
    recurrence: {
      frequencies: ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'],
      rules: 'any',
      maxCount: null,
      maxInterval: null,
      rdate: true,
      exdate: true,
    },
    occurrences: { restorable: true, crossesNeighbours: true, ownVisibility: true },
    attendees: {
      max: MOST_ATTENDEES,
      answersWritable: true,
      answerRevocable: true,
      mailSelectable: false,
      ownCopyIsQuiet: false,
      commentsShown: false,
    },
    extensions: ['status', 'showAs', 'categories', 'locationDetails'],
    showAs: ['free', 'tentative', 'busy', 'oof', 'workingElsewhere'],
    descriptionLength: LONGEST_DESCRIPTION,
  };
}
