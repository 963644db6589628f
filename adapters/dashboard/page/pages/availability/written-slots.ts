const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** Returns the day of a time or date: `Tuesday, 2 March 2027`. */
export const longDay = (text: string): string => DAY.format(Date.parse(text.slice(0, 10)));

/** Returns the wall time of a time: `09:00`, or with another day than `date` that day too. */
export function clockOf(dateTime: string, date = dateTime.slice(0, 10)): string {
  const [day, clock] = [dateTime.slice(0, 10), dateTime.slice(11, 16)];
  return day === date ? clock : `${SHORT_DAY.format(Date.parse(day))}, ${clock}`;
}

/** Returns a range of times: `09:00 – 09:30`; ends on other days than `date` are named. */
export const rangeOf = (start: string, end: string, date: string): string =>
  `${clockOf(start, date)} – ${clockOf(end, date)}`;
