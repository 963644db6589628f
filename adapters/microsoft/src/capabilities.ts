import type { CalendarRef, ProviderCapabilities } from 'kalends/ports';

/** Longest description, in characters. */
export const LONGEST_DESCRIPTION = 100_000;
/** Graph has one reminder; extended properties hold the others. */
export const MOST_REMINDERS = 5;
/** Bounds of a recurrence of Exchange. */
export const MOST_OCCURRENCES = 999;
export const LONGEST_INTERVAL = { daily: 999, other: 99 } as const;
/** @see https://learn.microsoft.com/graph/api/resources/event (attendees) */
const MOST_ATTENDEES = 500;

/** Returns the limits of a Graph calendar's events. */
export function capabilitiesOf(calendar: CalendarRef): ProviderCapabilities {
  return {
    colorIds: 'any',
    visibilities: ['default', 'public', 'private', 'confidential'],
    eventTypes: ['default', 'outOfOffice'],
    keepsUidOf: [],
    changesEventType: true,
    bareEventTypes: [],
    publicProperties: 'account',
    meetings: {
      providers: calendar.allowedOnlineMeetingProviders,
      defaultProvider: calendar.defaultOnlineMeetingProvider,
      givenByHand: false,
      removable: false,
    },
    reminders: { methods: ['popup', 'email'], maxOverrides: MOST_REMINDERS },
    recurrence: {
      frequencies: ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'],
      rules: 'patterned',
      maxCount: MOST_OCCURRENCES,
      maxInterval: LONGEST_INTERVAL.other,
      rdate: false,
      exdate: true,
    },
    occurrences: { restorable: true, crossesNeighbours: false, ownVisibility: true },
    attendees: {
      max: MOST_ATTENDEES,
      answersWritable: false,
      answerRevocable: false,
      mailSelectable: false,
      ownCopyIsQuiet: true,
      commentsShown: false,
    },
    extensions: [
      'status',
      'showAs',
      'categories',
      'locationDetails',
      'guestsCanSeeOtherGuests',
      'allowNewTimeProposals',
    ],
    showAs: ['free', 'tentative', 'busy', 'oof', 'workingElsewhere'],
    descriptionLength: LONGEST_DESCRIPTION,
  };
}
