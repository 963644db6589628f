import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Person } from './harness.ts';

let harness: Harness;
let ada: Person;
beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
});

const MINUTE_MS = 60_000;
const meeting = {
  subject: 'Review',
  body: { contentType: 'html', content: '<p>Agenda</p>' },
  start: { dateTime: '2026-03-02T09:00:00', timeZone: 'UTC' },
  end: { dateTime: '2026-03-02T10:00:00', timeZone: 'UTC' },
  isOnlineMeeting: true,
  onlineMeetingProvider: 'teamsForBusiness',
};
const daily = {
  pattern: { type: 'daily', interval: 1 },
  range: { type: 'numbered', startDate: '2026-03-02', numberOfOccurrences: 3 },
};

describe('a meeting that takes time', () => {
  test('is online without a link, then gets link, block and change key, and tells who watches', async () => {
    harness.control('setMeetingDelay', { ms: MINUTE_MS });
    await ada.call('POST', '/subscriptions', {
      changeType: 'created,updated,deleted',
      resource: '/me/events',
      notificationUrl: 'http://app.test/push',
      expirationDateTime: '2026-01-08T12:00:00Z',
    });
    const made = await ada.create(meeting);
    expect(made).toMatchObject({
      isOnlineMeeting: true,
      onlineMeetingProvider: 'teamsForBusiness',
      onlineMeeting: null,
    });
    expect((await ada.read(`/me/events/${made.id}`)).changeKey).toBe(made.changeKey);
    harness.kernel.clock.advance(MINUTE_MS);
    const later = await ada.read(`/me/events/${made.id}`);
    expect(later.onlineMeeting.joinUrl).toMatch(/^https:/);
    expect(later.body.content).toContain('<p>Agenda</p>');
    expect(later.body.content).toContain(later.onlineMeeting.joinUrl);
    expect(later.changeKey).not.toBe(made.changeKey);
    await harness.kernel.notifications.idle();
    const types = harness.received.flatMap(
      ({ body }) => body?.value?.map(({ changeType }: { changeType: string }) => changeType) ?? [],
    );
    expect(types).toEqual(['created', 'updated']);
  });

  test('waits once for each event, the next one as long again', async () => {
    harness.control('setMeetingDelay', { ms: MINUTE_MS });
    const first = await ada.create(meeting);
    harness.kernel.clock.advance(MINUTE_MS / 2);
    const second = await ada.create(meeting);
    const links = async () => {
      const { value } = await ada.read('/me/events');
      return new Map(
        value.map(({ id, onlineMeeting }: { id: string; onlineMeeting: unknown }) => [id, onlineMeeting !== null]),
      );
    };
    harness.kernel.clock.advance(MINUTE_MS / 2);
    expect([(await links()).get(first.id), (await links()).get(second.id)]).toEqual([true, false]);
    harness.kernel.clock.advance(MINUTE_MS / 2);
    expect((await links()).get(second.id)).toBe(true);
  });

  test('reaches guests, and one occurrence of a series on its own', async () => {
    harness.control('setMeetingDelay', { ms: MINUTE_MS });
    const attendees = [{ emailAddress: { address: 'ben@contoso.test' }, type: 'required' }];
    const { isOnlineMeeting, onlineMeetingProvider, ...plain } = meeting;
    const series = await ada.create({ ...plain, attendees, recurrence: daily });
    const range = 'startDateTime=2026-03-01&endDateTime=2026-03-09';
    const slots = async (person: Person, id: string) =>
      (await person.read(`/me/events/${id}/instances?${range}`)).value;
    const [, second] = await slots(ada, series.id);
    await ada.call('PATCH', `/me/events/${second.id}`, { isOnlineMeeting, onlineMeetingProvider });
    harness.kernel.clock.advance(MINUTE_MS);
    const links = (list: { onlineMeeting: { joinUrl: string } | null }[]) =>
      list.map(({ onlineMeeting }) => onlineMeeting?.joinUrl);
    const mine = links(await slots(ada, series.id));
    expect(mine).toEqual([undefined, expect.stringMatching(/^https:/), undefined]);
    const ben = await harness.person('ben@contoso.test');
    const { value } = await ben.read('/me/events');
    expect(links(await slots(ben, value[0].id))).toEqual(mine);
  });
});

test('a transaction id is remembered for a while', async () => {
  harness.control('setTransactionLife', { ms: MINUTE_MS });
  const input = { ...meeting, transactionId: 't-1' };
  const first = await ada.create(input);
  expect((await ada.create(input)).id).toBe(first.id);
  harness.kernel.clock.advance(MINUTE_MS);
  expect((await ada.create(input)).id).not.toBe(first.id);
});

test('a deleted occurrence comes back with another pattern, not with the same one again', async () => {
  const { isOnlineMeeting, onlineMeetingProvider, ...plain } = meeting;
  const series = await ada.create({ ...plain, recurrence: daily });
  const range = 'startDateTime=2026-03-01&endDateTime=2026-03-09';
  const dates = async () =>
    (await ada.read(`/me/events/${series.id}/instances?${range}`)).value.map(
      ({ start }: { start: { dateTime: string } }) => start.dateTime.slice(8, 10),
    );
  const { value } = await ada.read(`/me/events/${series.id}/instances?${range}`);
  await ada.call('DELETE', `/me/events/${value[1].id}`);
  await ada.call('PATCH', `/me/events/${series.id}`, { recurrence: daily });
  expect(await dates()).toEqual(['02', '04']);
  const other = { ...daily, pattern: { type: 'daily', interval: 2 } };
  await ada.call('PATCH', `/me/events/${series.id}`, { recurrence: other });
  await ada.call('PATCH', `/me/events/${series.id}`, { recurrence: daily });
  expect(await dates()).toEqual(['02', '03', '04']);
});
