import type { ProviderCapabilities } from 'kalends/ports';

/** Nothing can be written: these only have to be true of what is read. */
export const capabilities: ProviderCapabilities = {
  colorIds: 'any',
  visibilities: ['default', 'public', 'private', 'confidential'],
  eventTypes: ['default'],
  keepsUidOf: [],
  changesEventType: false,
  bareEventTypes: [],
  publicProperties: 'account',
  meetings: { providers: [], defaultProvider: '', givenByHand: false, removable: false },
  reminders: { methods: ['popup', 'email'], maxOverrides: 0 },
  recurrence: {
    frequencies: ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'],
    rules: 'any',
    maxCount: null,
    maxInterval: null,
    rdate: true,
    exdate: true,
  },
  occurrences: { restorable: false, crossesNeighbours: true, ownVisibility: true },
  attendees: {
    max: 0,
    answersWritable: false,
    answerRevocable: false,
    mailSelectable: false,
    ownCopyIsQuiet: false,
    commentsShown: false,
  },
  extensions: [],
  showAs: ['free', 'tentative', 'busy', 'oof'],
  descriptionLength: 0,
};
