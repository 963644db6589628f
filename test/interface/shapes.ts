/** The resources of spec §2 as small checks, written from the document and from nothing else. */

/** Undefined when the value fits, else what is wrong with it. */
type Check = (value: unknown) => string | undefined;
type Fields = Readonly<Record<string, Check>>;

const say = (wanted: string, value: unknown) => `${wanted} wanted, got ${JSON.stringify(value) ?? 'nothing'}`;
const test = (wanted: string, isIt: (value: unknown) => boolean): Check => {
  return (value) => (isIt(value) ? undefined : say(wanted, value));
};

const text = test('string', (value) => typeof value === 'string');
const filled = test('non-empty string', (value) => typeof value === 'string' && value !== '');
const flag = test('boolean', (value) => typeof value === 'boolean');
const anything: Check = () => undefined;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const timestamp = test('ISO 8601 timestamp', (value) => typeof value === 'string' && TIMESTAMP.test(value));
const oneOf = (...values: readonly string[]) => test(values.join('|'), (value) => values.includes(value as string));
const nullOr = (check: Check): Check => {
  return (value) => (value === null ? undefined : check(value));
};
const optional = (check: Check): Check => {
  return (value) => (value === undefined || value === null ? undefined : check(value));
};
const listOf = (check: Check): Check => {
  return (value) => {
    if (!Array.isArray(value)) return say('array', value);
    return value.map((item, index) => prefixed(`[${index}]`, check(item))).find((problem) => problem !== undefined);
  };
};
const prefixed = (where: string, problem: string | undefined) =>
  problem === undefined ? undefined : `${where}: ${problem}`;

/** Exactly these fields: an unknown one is wrong as well. */
const record = (fields: Fields): Check => {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return say('object', value);
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
    if (unknown.length > 0) return `unknown fields ${unknown.join(', ')}`;
    const given = value as Readonly<Record<string, unknown>>;
    return Object.entries(fields)
      .map(([name, check]) => prefixed(name, check(given[name])))
      .find((problem) => problem !== undefined);
  };
};
const mapOf = (check: Check): Check => {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return say('object', value);
    return Object.entries(value)
      .map(([name, item]) => prefixed(name, check(item)))
      .find((problem) => problem !== undefined);
  };
};

const RESPONSES = ['needsAction', 'declined', 'tentative', 'accepted'] as const;
const providerType = oneOf('PROVIDER_A', 'PROVIDER_B');
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const MIDNIGHT = /^\d{4}-\d{2}-\d{2}T00:00:00$/;
const zonedDateTime: Check = record({
  dateTime: test('date-time with offset', (value) => typeof value === 'string' && ZONED.test(value)),
  timeZone: filled,
});
const allDayDateTime: Check = record({
  dateTime: test('midnight without offset', (value) => typeof value === 'string' && MIDNIGHT.test(value)),
  timeZone: filled,
});
const dateOnly: Check = record({
  date: test('date', (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)),
});

/** Spec §2.1. */
export const endUserAccount = record({
  id: test('acc_…', (value) => /^acc_\w+$/.test(String(value))),
  createdAt: timestamp,
  updatedAt: timestamp,
  email: filled,
  externalId: optional(text),
  authorizedScopes: listOf(filled),
  providerAccountId: optional(text),
  providerId: test('prv_…', (value) => /^prv_\w+$/.test(String(value))),
  applicationId: test('app_…', (value) => /^app_\w+$/.test(String(value))),
  status: oneOf('ACTIVE', 'EXPIRED'),
  providerType,
});

/** Spec §2.2. */
export const credentials = record({
  id: test('crd_…', (value) => /^crd_\w+$/.test(String(value))),
  endUserAccountId: filled,
  accessToken: filled,
  refreshToken: filled,
  expiresAt: timestamp,
  status: oneOf('ACTIVE', 'EXPIRED', 'REVOKED'),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** Spec §2.3. */
export const calendar = record({
  id: filled,
  name: text,
  hexColor: test('#rrggbb', (value) => /^#[0-9a-fA-F]{6}$/.test(String(value))),
  readOnly: flag,
  isPrimary: optional(flag),
  isShared: flag,
  timeZone: filled,
  inviteEmail: text,
  allowedOnlineMeetingProviders: listOf(filled),
  defaultOnlineMeetingProvider: text,
});

const attendee = record({
  id: text,
  name: text,
  email: filled,
  responseStatus: oneOf(...RESPONSES),
  // Extensions.
  kind: oneOf('required', 'optional', 'resource'),
  comment: optional(filled),
});

/** Fields beyond the specification. */
const extensions: Fields = {
  status: oneOf('confirmed', 'tentative'),
  showAs: oneOf('free', 'tentative', 'busy', 'oof', 'workingElsewhere'),
  categories: listOf(filled),
  locationDetails: optional(anything),
  guestsCanModify: optional(flag),
  guestsCanInviteOthers: optional(flag),
  guestsCanSeeOtherGuests: flag,
  allowNewTimeProposals: optional(flag),
  providerEventType: optional(filled),
  hasAttachments: flag,
};

/**
 * Spec §2.4. What an event need not have (no conference, not of a series, not invited) may be absent; every other
 * field is there.
 */
const eventFields = (moment: Check, original: Check): Fields => ({
  id: filled,
  title: text,
  description: text,
  etag: test('strong quoted etag', (value) => /^"[^"]+"$/.test(String(value))),
  createdAt: timestamp,
  updatedAt: timestamp,
  start: moment,
  end: moment,
  isAllDay: flag,
  publicExtendedProperties: mapOf(text),
  privateExtendedProperties: mapOf(text),
  isRecurring: flag,
  isException: flag,
  isCancelled: flag,
  recurrence: nullOr(listOf(filled)),
  originalStart: optional(original),
  recurringEventId: optional(filled),
  colorId: optional(text),
  customColor: optional(text),
  myResponseStatus: optional(oneOf(...RESPONSES)),
  attendees: listOf(attendee),
  visibility: oneOf('default', 'public', 'private', 'confidential'),
  location: text,
  conferenceData: optional(conference),
  webLink: text,
  iCalUid: filled,
  transparency: oneOf('transparent', 'opaque'),
  eventType: oneOf('default', 'outOfOffice', 'focusTime'),
  organizer: optional(record({ name: optional(text), email: optional(text), isSelf: flag })),
  creator: optional(record({ email: optional(text) })),
  reminders: record({
    useDefault: optional(flag),
    isReminderOn: optional(flag),
    overrides: optional(listOf(anything)),
  }),
  generateMeetingUrlProvider: optional(text),
  ...extensions,
});

const conference = record({
  conferenceId: optional(text),
  conferenceType: optional(text),
  joinUrl: optional(text),
  conferenceDetails: optional(anything),
});
const timedEvent = record(eventFields(zonedDateTime, zonedDateTime));
const allDayEvent = record(eventFields(allDayDateTime, dateOnly));

export const calendarEvent: Check = (value) => {
  const isAllDay = (value as { readonly isAllDay?: unknown } | null)?.isAllDay === true;
  return isAllDay ? allDayEvent(value) : timedEvent(value);
};

/** Extension: the answer of GET …/attachments. */
export const eventAttachments = record({
  data: listOf(
    record({
      id: filled,
      name: text,
      contentType: nullOr(filled),
      size: nullOr(test('number', (value) => typeof value === 'number')),
      isInline: flag,
      url: nullOr(filled),
    }),
  ),
});

/** A record of a sync result that the client drops. */
export const deletedEvent = record({
  id: filled,
  isCancelled: test('true', (value) => value === true),
  isDeleted: test('true', (value) => value === true),
  recurringEventId: optional(filled),
  originalStart: optional(anything),
});
export const deletedCalendar = record({ id: filled, isDeleted: test('true', (value) => value === true) });

/** Spec §2.5. `subscriptionType` and `rateLimit` are what the create request says, told again. */
export const subscriptionCreated = record({
  webhookSubscriptionId: test('whs_…', (value) => /^whs_\w+$/.test(String(value))),
  endpointSecret: test('whsec_ and 32 bytes of base64', (value) => /^whsec_[A-Za-z0-9+/]{43}=$/.test(String(value))),
});
export const subscription = record({
  id: test('whs_…', (value) => /^whs_\w+$/.test(String(value))),
  provider: providerType,
  url: filled,
  calendarId: nullOr(filled),
  expiration: timestamp,
  subscriptionId: filled,
  resourceId: filled,
  endUserAccountId: filled,
  createdAt: timestamp,
  updatedAt: timestamp,
  subscriptionType: optional(oneOf('event', 'calendar')),
  detail: oneOf('change', 'record'),
  format: oneOf('plain', 'cloudevents'),
  rateLimit: optional(test('number', (value) => typeof value === 'number')),
  disabledAt: optional(timestamp),
});

/** Spec §2.6. */
export const freeBusyResult = listOf(
  record({ calendarId: filled, busySlots: listOf(record({ start: zonedDateTime, end: zonedDateTime })) }),
);
/** With the extension `includeTypes`. */
export const typedFreeBusyResult = listOf(
  record({
    calendarId: filled,
    busySlots: listOf(
      record({
        start: zonedDateTime,
        end: zonedDateTime,
        type: oneOf('oof', 'busy', 'tentative', 'workingElsewhere'),
      }),
    ),
  }),
);
