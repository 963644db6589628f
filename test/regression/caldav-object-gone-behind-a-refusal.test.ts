import { expect, it } from 'vitest';
import { refusal, startCalendar } from '../../adapters/caldav/test/pull/pulled-calendar.ts';

it('takes a refusal about an object that is not listed for an outage, not for an object that cannot be read', async () => {
  const pulled = await startCalendar('omitsMissingHrefs');
  await pulled.put('a.ics', 'a');
  const { harness, session, calendar } = pulled;
  const folder = Buffer.from(calendar.id, 'base64url').toString();
  const get = (name: string) =>
    harness.provider.events.get(session, calendar, Buffer.from(`${folder}${name}`).toString('base64url'));
  pulled.answerBy((asked, ask) => (asked.method === 'GET' ? refusal(500) : ask()));
  expect(await get('gone.ics'), 'PROPFIND says that it is gone').toMatchObject([{ kind: 'deleted' }]);
  pulled.answerBy((asked, ask) => (asked.url.endsWith('.ics') ? refusal(500) : ask()));
  await expect(get('gone.ics')).rejects.toMatchObject({ status: 500 });
  const leavesOut = (text: string) => text.replaceAll(/<D:response>.*?<\/D:response>/gs, '');
  pulled.answerBy(async (asked, ask) => {
    if (asked.url.endsWith('.ics')) return refusal(500);
    const answer = await ask();
    return asked.report === 'calendar-multiget'
      ? new Response(leavesOut(await answer.text()), { status: 207 })
      : answer;
  });
  expect(await get('a.ics')).toMatchObject([{ kind: 'unreadable' }]);
});
