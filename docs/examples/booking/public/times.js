// Days and times in the zone of the person.

/** @param {string} timeZone @param {Intl.DateTimeFormatOptions} options */
const format = (timeZone, options) => new Intl.DateTimeFormat('en-GB', { timeZone, ...options });

/** Returns the date of an instant in a zone: `2027-03-02`. @param {number} ms @param {string} timeZone */
export function dateAt(ms, timeZone) {
  const parts = format(timeZone, { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(ms);
  const of = (/** @type {string} */ type) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}`;
}

/** @param {string} date @param {number} days */
export function addDays(date, days) {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Returns a date in words: `Tuesday, 2 March`. @param {string} date */
export const dayName = (date) =>
  format('UTC', { weekday: 'long', day: 'numeric', month: 'long' }).format(Date.parse(date));

/** Returns the parts of a day's button: `Tue`, `2 Mar`. @param {string} date */
export const shortDay = (date) => [
  format('UTC', { weekday: 'short' }).format(Date.parse(date)),
  format('UTC', { day: 'numeric', month: 'short' }).format(Date.parse(date)),
];

/** @param {string} dateTime @param {string} timeZone */
export const clock = (dateTime, timeZone) =>
  format(timeZone, { hour: '2-digit', minute: '2-digit' }).format(Date.parse(dateTime));

/**
 * Returns a slot in words: `Tuesday, 2 March, 09:00 to 09:30 (Europe/Rome)`.
 * @param {{ startDateTime: string, endDateTime: string }} slot
 * @param {string} timeZone
 */
export function slotName({ startDateTime, endDateTime }, timeZone) {
  const day = dayName(dateAt(Date.parse(startDateTime), timeZone));
  return `${day}, ${clock(startDateTime, timeZone)} to ${clock(endDateTime, timeZone)} (${timeZone})`;
}
