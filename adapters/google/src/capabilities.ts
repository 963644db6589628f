import type { CalendarRef, ProviderCapabilities } from 'kalends/ports';

/** Limit of Google's API. */
export const LONGEST_DESCRIPTION = 8192;
export const EVENT_COLOR_IDS: readonly string[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11'];
/** @see https://developers.google.com/workspace/calendar/api/v3/reference/events (reminders.overrides) */
export const MOST_REMINDERS = 5;
export const LONGEST_REMINDER_MINUTES = 40_320;
const MOST_ATTENDEES = 200;
/** Types that only a primary calendar has; timed, without guests, and always busy. */
const STATUS_EVENT_TYPES = ['outOfOffice', 'focusTime'] as const;

/** Returns the limits of a Google calendar's events. */
export function capabilitiesOf(calendar: CalendarRef): ProviderCapabilities {
  return {
    colorIds: EVENT_COLOR_IDS,
    visibilities: ['default', 'public', 'private', 'confidential'],
    eventTypes: calendar.isPrimary ? ['default', ...STATUS_EVENT_TYPES] : ['default'],
    keepsUidOf: ['default'],
    changesEventType: false,
    bareEventTypes: STATUS_EVENT_TYPES,
    publicProperties: 'attendees',
    meetings: {
      providers: calendar.allowedOnlineMeetingProviders,
      defaultProvider: calendar.defaultOnlineMeetingProvider,
      givenByHand: true,
      removable: true,
    },
    reminders: { methods: ['popup', 'email'], maxOverrides: MOST_REMINDERS },
    recurrence: {
      frequencies: ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'],
      rules: 'any',
      maxCount: null,
      maxInterval: null,
      rdate: true,
      exdate: true,
    },
    occurrences: { restorable: true, crossesNeighbours: true, ownVisibility: false },
    attendees: {
      max: MOST_ATTENDEES,
      answersWritable: true,
      answerRevocable: true,
      mailSelectable: true,
      ownCopyIsQuiet: true,
      commentsShown: true,
    },
    extensions: ['status', 'showAs', 'guestsCanModify', 'guestsCanInviteOthers', 'guestsCanSeeOtherGuests'],
    showAs: ['free', 'tentative', 'busy'],
    descriptionLength: LONGEST_DESCRIPTION,
  };
}
