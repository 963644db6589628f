/** Whether an operation of the sandbox has been compared with the live service. */
export interface LiveValidation {
  readonly provider: 'google' | 'microsoft';
  /** Method and path pattern, as `kalends parity` prints them. */
  readonly operation: string;
  /** Null: not yet. */
  readonly validated: { readonly on: string; readonly by: string } | null;
}

const notYet = (provider: LiveValidation['provider'], operations: readonly string[]): readonly LiveValidation[] =>
  operations.map((operation) => ({ provider, operation, validated: null }));

/**
 * Every operation that `kalends parity` plays, and who compared it with the live service when. The README shows this table. An
 * operation that the sandbox has and the table has not is not played.
 */
export const LIVE_VALIDATION: readonly LiveValidation[] = [
  ...notYet('google', [
    'POST /token',
    'GET /keys',
    'GET /users/me/calendarList',
    'GET /users/me/calendarList/{id}',
    'PATCH /users/me/calendarList/{id}',
    'GET /users/me/settings/{id}',
    'POST /calendars',
    'GET /calendars/primary',
    'PATCH /calendars/{id}',
    'DELETE /calendars/{id}',
    'GET /calendars/{id}/events',
    'POST /calendars/{id}/events',
    'POST /calendars/{id}/events/import',
    'GET /calendars/{id}/events/{id}',
    'PATCH /calendars/{id}/events/{id}',
    'DELETE /calendars/{id}/events/{id}',
    'GET /calendars/{id}/events/{id}/instances',
  ]),
  ...notYet('microsoft', [
    'POST /token',
    'GET /keys',
    'GET /me',
    'GET /me/mailboxSettings',
    'GET /me/calendars',
    'POST /me/calendars',
    'GET /me/calendars/{id}',
    'PATCH /me/calendars/{id}',
    'DELETE /me/calendars/{id}',
    'GET /me/calendars/{id}/calendarView/delta',
    'GET /me/calendars/{id}/events',
    'POST /me/calendars/{id}/events',
    'GET /me/calendars/{id}/events/{id}',
    'PATCH /me/calendars/{id}/events/{id}',
    'DELETE /me/calendars/{id}/events/{id}',
    'GET /me/calendars/{id}/events/{id}/attachments',
    'GET /me/calendars/{id}/events/{id}/instances',
  ]),
];

/** Returns the table in Markdown. */
export function liveValidationTable(): string {
  const rows = LIVE_VALIDATION.map(({ provider, operation, validated }) => {
    const state = validated === null ? 'not yet' : `${validated.on}, by ${validated.by}`;
    return `| ${provider} | \`${operation}\` | ${state} |`;
  });
  return ['| provider | operation | validated live |', '|---|---|---|', ...rows].join('\n');
}
