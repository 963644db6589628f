import { manualClock } from '@kalends/conformance';
import { expect, it, onTestFinished } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import type { Json } from '../interface/world.ts';

it('takes exceptions along where a later occurrence becomes the first, with a rule and times over midnight', async () => {
  const world = await createDavWorld({ clock: manualClock(Date.UTC(2026, 0, 1)) }, (_request, pass) => pass());
  onTestFinished(() => world.close());
  const { accountId, calendarId } = await fillDavMailbox(world, 0, []);
  const path = `/v1/events/${accountId}/${calendarId}`;
  const call = async (method: string, rest: string, body?: Json): Promise<Json> => {
    const answer = await world.call(method, `${path}${rest}`, body === undefined ? {} : { body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  const at = (dateTime: string) => ({ dateTime, timeZone: 'America/New_York' });
  const { id } = await call('POST', '', {
    title: 'a',
    start: at('2026-04-06T23:30:00'),
    end: at('2026-04-06T23:45:00'),
    recurrence: ['RRULE:FREQ=DAILY;COUNT=6'],
  });
  await call('DELETE', `/${id}_20260407T033000Z`);
  await call('DELETE', `/${id}_20260410T033000Z`);
  await call('PUT', `/${id}_20260411T033000Z`, { title: 'special' });
  await call('PUT', `/${id}_20260408T033000Z?scope=following`, {
    title: 'b',
    start: at('2026-04-08T00:15:00'),
    end: at('2026-04-08T00:30:00'),
    recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
  });
  const window = 'startDateTime=2026-04-01T00:00:00Z&endDateTime=2026-05-01T00:00:00Z';
  const { data } = await call('GET', `?expandRecurrences=true&orderBy=startDateTime&${window}`);
  expect(data.map(({ title, start }: Json) => `${start.dateTime.slice(5, 16)} ${title}`)).toEqual([
    '04-08T00:15 b',
    '04-09T00:15 b',
    '04-11T00:15 special',
    '04-12T00:15 b',
  ]);
});
