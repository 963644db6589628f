const PREFIX = 'https://www.googleapis.com/auth/';
const CALENDAR = `${PREFIX}calendar`;
const ALL_OF_CALENDAR = [CALENDAR, `${CALENDAR}.readonly`];

/**
 * Needs of the adapter: any scope of a line meets it, the first one is suggested.
 * @see https://developers.google.com/workspace/calendar/api/auth
 */
const NEEDS: readonly (readonly string[])[] = [
  ['openid'],
  ['email', `${PREFIX}userinfo.email`],
  [`${CALENDAR}.calendarlist.readonly`, `${CALENDAR}.calendarlist`, ...ALL_OF_CALENDAR],
  [
    `${CALENDAR}.events`,
    `${CALENDAR}.events.readonly`,
    `${CALENDAR}.events.owned`,
    `${CALENDAR}.events.owned.readonly`,
    ...ALL_OF_CALENDAR,
  ],
];

/** Returns the scopes that sign-in and calendars lack. Without any scope of calendars it is the whole Calendar. */
export function missingScopes(scopes: readonly string[]): readonly string[] {
  const missing = NEEDS.filter((line) => !line.some((scope) => scopes.includes(scope)));
  const suggested = missing.flatMap((line) => line.slice(0, 1));
  if (scopes.some((scope) => scope.startsWith(CALENDAR))) return suggested;
  return [...suggested.filter((scope) => !scope.startsWith(CALENDAR)), CALENDAR];
}
