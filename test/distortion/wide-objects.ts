import type { Json, ProviderName } from '../interface/world.ts';

/*
 * Fields of the providers' event and calendar resources that their references name and that the sandbox leaves out of most
 * answers. Put under the sandbox's own fields, they give a mutation more places to strike.
 */

const GOOGLE_EVENT = {
  kind: 'calendar#event',
  colorId: '5',
  description: '<p>Agenda</p>',
  location: 'Room 1, Main Street 5',
  creator: { id: '1', email: 'grace@example.com', displayName: 'Grace', self: false },
  organizer: { id: '2', email: 'ada@example.com', displayName: 'Ada', self: true },
  endTimeUnspecified: false,
  transparency: 'opaque',
  visibility: 'private',
  sequence: 3,
  attendees: [
    { id: '3', email: 'ada@example.com', displayName: 'Ada', organizer: true, self: true, responseStatus: 'accepted' },
    { email: 'bob@example.com', optional: true, responseStatus: 'needsAction', comment: 'Late', additionalGuests: 2 },
    { email: 'room@resource.example.com', resource: true, responseStatus: 'declined' },
  ],
  attendeesOmitted: false,
  extendedProperties: { private: { one: '1' }, shared: { two: '2' } },
  hangoutLink: 'https://meet.example.com/abc',
  conferenceData: {
    createRequest: {
      requestId: 'r',
      conferenceSolutionKey: { type: 'hangoutsMeet' },
      status: { statusCode: 'success' },
    },
    entryPoints: [
      { entryPointType: 'video', uri: 'https://meet.example.com/abc', label: 'meet.example.com/abc' },
      { entryPointType: 'phone', uri: 'tel:+1-555-0100', pin: '123', regionCode: 'US' },
    ],
    conferenceSolution: { key: { type: 'hangoutsMeet' }, name: 'Meet', iconUri: 'https://example.com/icon.png' },
    conferenceId: 'abc',
    signature: 's',
    parameters: { addOnParameters: { parameters: { a: 'b' } } },
  },
  gadget: { type: 't', title: 'g', link: 'https://example.com', width: 1, height: 1, preferences: { a: 'b' } },
  anyoneCanAddSelf: false,
  guestsCanInviteOthers: true,
  guestsCanModify: false,
  guestsCanSeeOtherGuests: true,
  privateCopy: false,
  reminders: { useDefault: false, overrides: [{ method: 'email', minutes: 30 }] },
  source: { url: 'https://example.com/', title: 'Source' },
  workingLocationProperties: { type: 'officeLocation', officeLocation: { buildingId: 'b', floorId: '2' } },
  outOfOfficeProperties: { autoDeclineMode: 'declineNone', declineMessage: '' },
  focusTimeProperties: { autoDeclineMode: 'declineNone', chatStatus: 'available' },
  birthdayProperties: { type: 'birthday', contact: 'people/c1' },
  attachments: [{ fileUrl: 'https://example.com/f', title: 'F', mimeType: 'text/plain', iconLink: '', fileId: 'f' }],
  eventType: 'default',
};

const GRAPH_EVENT = {
  '@odata.context': 'https://graph.example.com/v1.0/$metadata#events/$entity',
  categories: ['Red category'],
  transactionId: null,
  reminderMinutesBeforeStart: 15,
  isReminderOn: true,
  hasAttachments: false,
  subject: 'Planning',
  bodyPreview: 'Agenda',
  importance: 'normal',
  sensitivity: 'private',
  responseRequested: true,
  showAs: 'oof',
  webLink: 'https://outlook.example.com/owa/?itemid=1',
  onlineMeetingUrl: null,
  isOnlineMeeting: true,
  onlineMeetingProvider: 'teamsForBusiness',
  allowNewTimeProposals: true,
  isDraft: false,
  hideAttendees: false,
  responseStatus: { response: 'organizer', time: '0001-01-01T00:00:00Z' },
  body: { contentType: 'text', content: 'Agenda' },
  location: {
    displayName: 'Room 1',
    locationType: 'conferenceRoom',
    uniqueId: 'room1',
    uniqueIdType: 'directory',
    locationUri: 'https://example.com/room1',
    address: { street: 'Main Street 5', city: 'Zurich', state: 'ZH', postalCode: '8000', countryOrRegion: 'CH' },
    coordinates: { latitude: 47.4, longitude: 8.5 },
  },
  locations: [{ displayName: 'Room 1', locationType: 'default' }],
  attendees: [
    {
      type: 'required',
      status: { response: 'accepted', time: '2026-01-01T00:00:00Z' },
      emailAddress: { name: 'Bob', address: 'bob@example.com' },
    },
    { type: 'resource', status: { response: 'none' }, emailAddress: { name: 'Room', address: 'room@example.com' } },
  ],
  organizer: { emailAddress: { name: 'Ada', address: 'ada@example.com' } },
  onlineMeeting: {
    joinUrl: 'https://teams.example.com/l/1',
    conferenceId: '1',
    tollNumber: '+1 555 0100',
    tollFreeNumbers: ['+1 555 0101'],
    phones: [{ number: '+1 555 0100', type: 'business' }],
    quickDial: '+1 555 0100,,1#',
  },
};

const GOOGLE_CALENDAR = {
  kind: 'calendar#calendarListEntry',
  description: 'Beside',
  location: 'Zurich',
  summaryOverride: 'Mine',
  colorId: '7',
  hidden: false,
  selected: true,
  defaultReminders: [{ method: 'popup', minutes: 10 }],
  notificationSettings: { notifications: [{ type: 'eventCreation', method: 'email' }] },
  conferenceProperties: { allowedConferenceSolutionTypes: ['hangoutsMeet'] },
};

const GRAPH_CALENDAR = {
  canShare: true,
  canViewPrivateItems: true,
  canEdit: true,
  isRemovable: true,
  isTallyingResponses: false,
  hexColor: '',
  allowedOnlineMeetingProviders: ['teamsForBusiness', 'unknown'],
  defaultOnlineMeetingProvider: 'teamsForBusiness',
};

/** Returns an event of the provider with the fields that its reference names. */
export function wideEvent(provider: ProviderName, wire: Json): Json {
  return { ...(provider === 'google' ? GOOGLE_EVENT : GRAPH_EVENT), ...wire };
}

/** Returns an entry of the calendar list likewise. */
export function wideCalendar(provider: ProviderName, wire: Json): Json {
  return { ...(provider === 'google' ? GOOGLE_CALENDAR : GRAPH_CALENDAR), ...wire };
}
