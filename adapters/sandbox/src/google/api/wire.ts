/** Shapes of Google Calendar v3 JSON that the sandbox reads and writes. */

export interface WireTime {
  date?: string;
  dateTime?: string;
  timeZone?: string;
}

export interface Attendee {
  email: string;
  displayName?: string;
  organizer?: boolean;
  self?: boolean;
  resource?: boolean;
  optional?: boolean;
  responseStatus: string;
  comment?: string;
  additionalGuests?: number;
}

export interface Reminder {
  method: string;
  minutes: number;
}

export interface Reminders {
  useDefault: boolean;
  overrides?: Reminder[];
}

export interface ExtendedProperties {
  private?: Record<string, string>;
  shared?: Record<string, string>;
}

export interface ConferenceData {
  createRequest?: {
    requestId: string;
    conferenceSolutionKey: { type: string };
    status: { statusCode: string };
  };
  entryPoints?: { entryPointType: string; uri: string; label?: string }[];
  conferenceSolution?: { key: { type: string }; name: string; iconUri: string };
  conferenceId?: string;
}

export interface WirePerson {
  email: string;
  displayName?: string;
  self?: boolean;
}

export interface WireEvent {
  kind: 'calendar#event';
  etag: string;
  id: string;
  status: string;
  htmlLink?: string;
  created?: string;
  updated?: string;
  summary?: string;
  description?: string;
  location?: string;
  colorId?: string;
  eventLabelId?: string;
  creator?: WirePerson;
  organizer?: WirePerson;
  start?: WireTime;
  end?: WireTime;
  recurrence?: string[];
  recurringEventId?: string;
  originalStartTime?: WireTime;
  transparency?: string;
  visibility?: string;
  iCalUID?: string;
  sequence?: number;
  attendees?: Attendee[];
  attendeesOmitted?: boolean;
  hangoutLink?: string;
  conferenceData?: ConferenceData;
  extendedProperties?: ExtendedProperties;
  reminders?: Reminders;
  eventType?: string;
  guestsCanModify?: boolean;
  guestsCanInviteOthers?: boolean;
  guestsCanSeeOtherGuests?: boolean;
  anyoneCanAddSelf?: boolean;
  locked?: boolean;
  privateCopy?: boolean;
  source?: { title?: string; url?: string };
  attachments?: WireAttachment[];
  [typeProperties: string]: unknown;
}

/** A link to a file at an event. */
export interface WireAttachment {
  fileUrl: string;
  title?: string;
  mimeType?: string;
  iconLink?: string;
  /** Of a file that Google keeps. */
  fileId?: string;
}

/** An undecoded JSON object. */
export type Json = Record<string, unknown>;
