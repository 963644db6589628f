import type { ServerName } from './start/calendar-server.ts';

/** A case of the provider kit that a server cannot pass: how it fails, and why. */
export interface KnownFailure {
  readonly failure: RegExp;
  /** As docs/caldav.md says it. */
  readonly reason: string;
}

const COMMENT: Readonly<Record<string, KnownFailure>> = {
  'respond: a comment goes along, and stays or goes as it is told': {
    failure: /carries no comment/,
    reason: 'a comment of an answer is refused, since it reaches no organizer',
  },
};

const NEW_CALENDAR = 'calendars: a new one is listed as it was made, takes events, and is deleted, once or again';
const CHANGED_CALENDAR = 'calendars: an update changes what is sent';
const NEW_EVENTS = 'generated events: create, get and pull agree with what was asked';
const CHANGED_EVENTS = 'generated events: an update agrees with what was asked, and changes nothing else';

const noZone: KnownFailure = {
  failure: /does not keep this property/,
  reason: 'does not keep the zone of a calendar',
};
const onlyName: KnownFailure = {
  failure: /does not keep this property/,
  reason: 'keeps the name of a calendar alone',
};
const alwaysPublic: KnownFailure = {
  failure: /visibility/,
  reason: 'gives every event without CLASS the class PUBLIC',
};
const mangled: KnownFailure = {
  failure: /locationDetails|deep-equal|seed/,
  reason: 'escapes GEO, CONFERENCE and further values, so that they read otherwise',
};

const brokenRule: KnownFailure = {
  failure: /the server answered 500/,
  reason: 'answers 500 to some rules',
};
const brokenText: KnownFailure = {
  failure: /seed/,
  reason: 'takes a backslash before an n for a line end',
};

/** By server and case. A case that passes has to leave the table. */
export const KNOWN_FAILURES: Readonly<Record<ServerName, Readonly<Record<string, KnownFailure>>>> = {
  radicale: {},
  xandikos: {
    [NEW_CALENDAR]: onlyName,
    [CHANGED_CALENDAR]: onlyName,
    'fields: what a new event is given is shown by the answer, by get and by a pull': mangled,
    'extensions: an occurrence keeps its own value while its series changes': mangled,
    'meetings: one given by hand comes back, or is refused': mangled,
    [NEW_EVENTS]: mangled,
    [CHANGED_EVENTS]: mangled,
  },
  cyrus: {
    ...COMMENT,
    'times: an event may last no time, or a week': {
      failure: /valid-calendar-data/,
      reason: 'refuses an event that lasts no time',
    },
  },
  davical: {
    ...COMMENT,
    [NEW_CALENDAR]: noZone,
    [CHANGED_CALENDAR]: noZone,
    'rules: each one that can be held comes back as it was given': brokenRule,
    'rules: one takes the place of another': brokenRule,
    [NEW_EVENTS]: brokenText,
    [CHANGED_EVENTS]: brokenText,
  },
  sogo: {
    ...COMMENT,
    [NEW_CALENDAR]: noZone,
    [CHANGED_CALENDAR]: noZone,
    'fields: a new event that says nothing of a field shows it empty': alwaysPublic,
    'fields: an update changes the field that is sent and no other, and null clears it': alwaysPublic,
    'fields: each value of visibility, colour and reminder survives': alwaysPublic,
    [NEW_EVENTS]: alwaysPublic,
    [CHANGED_EVENTS]: alwaysPublic,
    'attendees: an update of the organizer resets nobody’s answer': {
      failure: /deep-equal/,
      reason: 'takes every change of the organizer for one of the time, and resets the answers',
    },
  },
};
