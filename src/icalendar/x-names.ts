/*
 * Properties of ours for fields that RFC 5545 has no property for. Their values have no comma, semicolon, colon or backslash: some servers
 * cut or escape an X- value at those. Docs: docs/icalendar.md.
 */

/** An extended property, `key=value` with both percent-encoded. */
export const X_PUBLIC = 'X-KALENDS-PUBLIC';
export const X_PRIVATE = 'X-KALENDS-PRIVATE';
/** A slot that was cancelled, and has an EXDATE: `20260301T140000Z` or `20260301`. */
export const X_CANCELLED = 'X-KALENDS-CANCELLED';
export const X_COLOR_ID = 'X-KALENDS-COLOR-ID';
export const X_CUSTOM_COLOR = 'X-KALENDS-CUSTOM-COLOR';
/** `focusTime` or `outOfOffice`. */
export const X_EVENT_TYPE = 'X-KALENDS-EVENT-TYPE';
/** `default` where the calendar's default reminders apply, `off` where there are none of ours beside alarms that the interface lacks. */
export const X_REMINDERS = 'X-KALENDS-REMINDERS';
/** Percent-encoded JSON of `conferenceData`, of which CONFERENCE shows the link. */
export const X_CONFERENCE = 'X-KALENDS-CONFERENCE';
export const X_MEETING_PROVIDER = 'X-KALENDS-MEETING-PROVIDER';
/** Percent-encoded JSON of `locationDetails`, of which GEO shows the coordinates. */
export const X_LOCATION = 'X-KALENDS-LOCATION';
/** `TRUE` or `FALSE` each. */
export const X_PERMISSIONS = {
  guestsCanModify: 'X-KALENDS-GUESTS-CAN-MODIFY',
  guestsCanInviteOthers: 'X-KALENDS-GUESTS-CAN-INVITE',
  guestsCanSeeOtherGuests: 'X-KALENDS-GUESTS-CAN-SEE',
  allowNewTimeProposals: 'X-KALENDS-TIME-PROPOSALS',
} as const;
export const X_BUSY_STATUS = 'X-MICROSOFT-CDO-BUSYSTATUS';

/** Percent-encodes every character that is not a letter, a digit, or one of `-._~`. */
export function encodeValue(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Decodes it; undefined for a text that is not encoded so. */
export function decodeValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

/** Percent-encodes an object as JSON, its members in the order of their names, so that equal objects are written alike. */
export function encodeObject(value: object): string {
  return encodeValue(sortedJson(value));
}

/** Returns the JSON of a value with the members of all objects in the order of their names. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Decodes percent-encoded JSON of an object; undefined for anything else. */
export function decodeObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(text.trim()));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
