const PREFIX = 'https://www.googleapis.com/auth/';

const EVERYTHING = [`${PREFIX}calendar`];
const READ_EVERYTHING = [...EVERYTHING, `${PREFIX}calendar.readonly`];

/** Scopes that admit a call, by kind of call; any one of them is enough. */
export const ADMITTING_SCOPES = {
  readCalendarList: [...READ_EVERYTHING, `${PREFIX}calendar.calendarlist`, `${PREFIX}calendar.calendarlist.readonly`],
  writeCalendarList: [...EVERYTHING, `${PREFIX}calendar.calendarlist`],
  readCalendar: [
    ...READ_EVERYTHING,
    `${PREFIX}calendar.calendars`,
    `${PREFIX}calendar.calendars.readonly`,
    `${PREFIX}calendar.app.created`,
  ],
  writeCalendar: [...EVERYTHING, `${PREFIX}calendar.calendars`, `${PREFIX}calendar.app.created`],
  readEvents: [
    ...READ_EVERYTHING,
    `${PREFIX}calendar.events`,
    `${PREFIX}calendar.events.readonly`,
    `${PREFIX}calendar.events.owned`,
    `${PREFIX}calendar.events.owned.readonly`,
    `${PREFIX}calendar.app.created`,
  ],
  writeEvents: [
    ...EVERYTHING,
    `${PREFIX}calendar.events`,
    `${PREFIX}calendar.events.owned`,
    `${PREFIX}calendar.app.created`,
  ],
  readFreeBusy: [...READ_EVERYTHING, `${PREFIX}calendar.freebusy`, `${PREFIX}calendar.events.freebusy`],
  readSettings: [...READ_EVERYTHING, `${PREFIX}calendar.settings.readonly`],
  readAcl: [...READ_EVERYTHING, `${PREFIX}calendar.acls`, `${PREFIX}calendar.acls.readonly`],
  writeAcl: [...EVERYTHING, `${PREFIX}calendar.acls`],
  anyCalendar: [
    ...READ_EVERYTHING,
    `${PREFIX}calendar.calendarlist`,
    `${PREFIX}calendar.calendarlist.readonly`,
    `${PREFIX}calendar.calendars`,
    `${PREFIX}calendar.calendars.readonly`,
    `${PREFIX}calendar.events`,
    `${PREFIX}calendar.events.readonly`,
    `${PREFIX}calendar.events.owned`,
    `${PREFIX}calendar.events.owned.readonly`,
    `${PREFIX}calendar.settings.readonly`,
    `${PREFIX}calendar.app.created`,
  ],
} as const;

export type Admission = keyof typeof ADMITTING_SCOPES;

/** The default scopes of a consent: identity and the whole calendar. */
export const FULL_SCOPES: readonly string[] = [
  `${PREFIX}calendar`,
  `${PREFIX}userinfo.email`,
  `${PREFIX}userinfo.profile`,
  'openid',
];

/** Google answers the short names `email` and `profile` with their long forms. */
export function canonicalScopes(text: string): string[] {
  const names = text.split(/\s+/).filter((name) => name !== '');
  return [
    ...new Set(names.map((name) => (name === 'email' || name === 'profile' ? `${PREFIX}userinfo.${name}` : name))),
  ];
}
