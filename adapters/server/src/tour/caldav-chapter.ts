import type { DevConnection } from '../dev/dev-state.ts';
import { type Api, encoded, items, listAll } from './api.ts';
import { type Narrator, TourFailure } from './narrator.ts';

const DAYS = { startDateTime: '2026-04-01T00:00:00Z', endDateTime: '2026-05-01T00:00:00Z' };

/** Connects the CalDAV mailbox by its app password, and plays a series there. */
export async function calDavChapter(narrator: Narrator, api: Api, connection: DevConnection): Promise<void> {
  const mailbox = connection.accounts.find((each) => 'credentials' in each);
  if (mailbox === undefined) throw new TourFailure('the demo has no CalDAV mailbox', connection.accounts);
  narrator.chapter(`${mailbox.providerType}: connect ${mailbox.email}, and a series`);
  const { status, body: account } = await api.call('POST', '/v1/endUserAccounts', { body: mailbox });
  narrator.check(status === 201 || status === 200, 'POST with an app password connects it, without OAuth', account);
  const credentials = await api.expect('GET', `/v1/endUserAccounts/${account.id}/credentials`);
  narrator.check(
    credentials.kind === 'password' && credentials.username === mailbox.email && !('accessToken' in credentials),
    'its credentials have user name and password, and no token',
    { ...credentials, password: '…' },
  );
  const primary = items(await api.expect('GET', `/v1/calendars/${account.id}`)).find((each) => each.isPrimary === true);
  narrator.check(primary !== undefined, 'it has a primary calendar');
  await playSeries(narrator, api, `/v1/events/${account.id}/${encoded(primary?.id)}`);
}

async function playSeries(narrator: Narrator, api: Api, path: string): Promise<void> {
  const series = await api.expect(
    'POST',
    path,
    {
      title: 'Standup',
      start: { dateTime: '2026-04-06T09:00:00', timeZone: 'America/New_York' },
      end: { dateTime: '2026-04-06T09:15:00', timeZone: 'America/New_York' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    },
    201,
  );
  const own = `${path}/${encoded(series.id)}`;
  const occurrences = async () => (await listAll(api, `${own}/occurrences`, DAYS)).items;
  const second = (await occurrences())[1];
  await api.expect('PUT', `${path}/${encoded(second?.id)}`, {
    start: { dateTime: '2026-04-07T14:00:00', timeZone: 'America/New_York' },
    end: { dateTime: '2026-04-07T14:15:00', timeZone: 'America/New_York' },
  });
  const starts = (await occurrences()).map(({ start }) => (start as { readonly dateTime: string }).dateTime);
  narrator.check(
    JSON.stringify(starts) ===
      JSON.stringify(['2026-04-06T09:00:00-04:00', '2026-04-07T14:00:00-04:00', '2026-04-08T09:00:00-04:00']),
    'an occurrence moves alone, as at the other providers',
    starts,
  );
  await api.expect('DELETE', own, undefined, 200);
}
