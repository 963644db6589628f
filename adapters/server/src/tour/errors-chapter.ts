import { encoded } from './api.ts';
import type { Scene } from './scene.ts';

/** Sends invalid input to every kind of route, and expects the documented error, naming the field. */
export async function errorsChapter(scene: Scene, accountId: string, calendarId: string): Promise<void> {
  const { api, narrator, providerType } = scene;
  narrator.chapter(`${providerType}: bad input`);
  const calendars = `/v1/calendars/${accountId}`;
  const events = `/v1/events/${accountId}/${encoded(calendarId)}`;
  const start = { dateTime: '2026-03-02T09:00:00' };
  const cases: readonly [method: string, path: string, body: unknown, status: number, code: string, field?: string][] =
    [
      ['GET', '/v1/endUserAccounts/acc_nobody', undefined, 404, 'NotFound'],
      ['GET', '/v1/endUserAccounts?statusFilter=asleep', undefined, 400, 'InvalidRequest', 'statusFilter'],
      ['GET', '/v1/endUserAccounts?pageToken=x', undefined, 400, 'InvalidPageToken'],
      [
        'POST',
        '/v1/endUserAccounts',
        { email: 'nobody', providerType, refreshToken: 'x' },
        400,
        'InvalidRequest',
        'email',
      ],
      [
        'POST',
        '/v1/endUserAccounts',
        { email: scene.email, providerType: 'PROVIDER_Z', refreshToken: 'x' },
        400,
        'InvalidRequest',
        'providerType',
      ],
      [
        'POST',
        '/v1/endUserAccounts',
        { email: scene.email, providerType, refreshToken: 'wrong' },
        400,
        'InvalidRefreshToken',
      ],
      ['POST', calendars, '{"name":', 400, 'InvalidRequest'],
      ['POST', calendars, {}, 400, 'InvalidRequest', 'name'],
      ['POST', calendars, { name: 'x', colour: 'red' }, 400, 'InvalidRequest', 'colour'],
      ['POST', calendars, { name: 'x', timeZone: 'Mars/Olympus' }, 400, 'InvalidRequest', 'timeZone'],
      ['GET', `${calendars}/nothing`, undefined, 404, 'NotFound'],
      ['GET', `${events}?expandRecurrences=true`, undefined, 400, 'InvalidRequest', 'startDateTime'],
      ['GET', `${events}?orderBy=startDateTime`, undefined, 400, 'InvalidRequest', 'orderBy'],
      ['GET', `${events}?expandRecurrences=yes`, undefined, 400, 'InvalidRequest', 'expandRecurrences'],
      ['GET', `${events}?startDateTime=yesterday`, undefined, 400, 'InvalidRequest', 'startDateTime'],
      ['GET', `${events}?syncToken=abc`, undefined, 400, 'InvalidSyncToken'],
      ['GET', `${events}?pageSize=0`, undefined, 400, 'InvalidRequest', 'pageSize'],
      ['GET', `${events}/nothing`, undefined, 404, 'NotFound'],
      ['POST', events, { start }, 400, 'InvalidRequest', 'title'],
      ['POST', events, { title: 'x' }, 400, 'InvalidRequest', 'start'],
      [
        'POST',
        events,
        { title: 'x', start: { dateTime: '2026-02-30T09:00:00' } },
        400,
        'InvalidRequest',
        'start.dateTime',
      ],
      [
        'POST',
        events,
        { title: 'x', start: { ...start, timeZone: '+02:00' } },
        400,
        'InvalidRequest',
        'start.timeZone',
      ],
      ['POST', events, { title: 'x', start, end: { dateTime: '2026-03-02T08:00:00' } }, 400, 'InvalidRequest', 'end'],
      [
        'POST',
        events,
        { title: 'x', start, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU'] },
        400,
        'InvalidRequest',
        'start',
      ],
      ['DELETE', `${events}/nothing?scope=later`, undefined, 400, 'InvalidRequest', 'scope'],
      ['POST', `/v1/freeBusy/${accountId}`, { startDateTime: 'x' }, 400, 'InvalidRequest', 'endDateTime'],
      [
        'POST',
        `/v1/calendarSubscriptions/${accountId}`,
        { calendarId, webhookUrl: 'ftp://example.com' },
        400,
        'InvalidRequest',
        'webhookUrl',
      ],
      [
        'POST',
        `/v1/calendarSubscriptions/${accountId}`,
        { calendarId, webhookUrl: 'https://10.0.0.1/' },
        400,
        'InvalidRequest',
        'webhookUrl',
      ],
      ['DELETE', `/v1/calendarSubscriptions/${accountId}`, { subscriptionId: 'whs_nothing' }, 404, 'NotFound'],
      ['GET', '/v1/nothing', undefined, 404, 'NotFound'],
    ];
  for (const [method, path, body, status, code, field] of cases) {
    const answer = await api.call(method, path, { body });
    const named =
      field === undefined ||
      (answer.body.details as readonly { readonly path: string }[] | undefined)?.some(({ path: at }) => at === field);
    const shown = path.replace(accountId, '{account}').replace(encoded(calendarId), '{calendar}');
    narrator.check(
      answer.status === status && answer.body.code === code && named === true,
      `${method} ${shown} ${body === undefined ? '' : `${typeof body === 'string' ? body : JSON.stringify(body)} `.slice(0, 60)}-> ${status} ${code}${field === undefined ? '' : ` on ${field}`}`,
      { status: answer.status, ...answer.body },
    );
  }
  for (const key of [null, 'nonsense', `${scene.connection.apiKey}x`]) {
    const refused = await api.call('GET', '/v1/endUserAccounts', { key });
    narrator.check(
      refused.status === 401 &&
        refused.body.code === 'InvalidApiKey' &&
        refused.headers.get('www-authenticate') !== null,
      `${key === null ? 'no key' : 'a wrong key'} -> 401 InvalidApiKey`,
      refused.body,
    );
  }
}
