import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Json, type Person, timed } from './harness.ts';

let harness: Harness;
let ada: Person;
let ben: Person;
let cleo: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
  ben = await harness.person('ben@contoso.test');
  cleo = await harness.person('cleo@fabrikam.test');
});

const invite = (...addresses: string[]): Json => addresses.map((address) => ({ emailAddress: { address } }));
const BOTH = invite('ben@contoso.test', 'Cleo@fabrikam.test');

const meet = (more: Json = {}): Promise<Json> =>
  ada.create(timed('Planning', '2026-03-02T09:00:00', 'UTC', { attendees: BOTH, ...more }));

const only = async (person: Person): Promise<Json> => {
  const { value } = await person.read('/me/events');
  expect(value).toHaveLength(1);
  return value[0];
};

const answer = (person: Person, id: string, verb: string, body?: Json) =>
  person.call('POST', `/me/events/${id}/${verb}`, body);

const statuses = async (id: string): Promise<Json> =>
  Object.fromEntries(
    (await ada.read(`/me/events/${id}`)).attendees.map(({ emailAddress, status }: Json) => [
      emailAddress.address.split('@')[0].toLowerCase(),
      status.response,
    ]),
  );

const DAILY = {
  pattern: { type: 'daily', interval: 1 },
  range: { type: 'noEnd', startDate: '2026-03-02' },
};

const slots = async (person: Person, id: string): Promise<Json[]> =>
  (await person.all(`/me/events/${id}/instances?startDateTime=2026-03-02&endDateTime=2026-03-07`)).items;

describe('invitations', () => {
  test('put a copy with its own id into each mailbox', async () => {
    const meeting = await meet();
    const copy = await only(ben);
    expect(copy.id).not.toBe(meeting.id);
    expect(copy).toMatchObject({
      iCalUId: meeting.iCalUId,
      subject: 'Planning',
      isOrganizer: false,
      organizer: { emailAddress: { address: 'ada@contoso.test' } },
      responseStatus: { response: 'notResponded' },
      showAs: 'tentative',
    });
    expect((await ben.get(`/me/events/${meeting.id}`)).status).toBe(404);
    expect((await only(cleo)).id).not.toBe(copy.id);
  });

  test('the organizer’s changes reach the copies, what is the attendee’s own stays', async () => {
    const { id } = await meet();
    const copy = await only(ben);
    await answer(ben, copy.id, 'accept');
    await ben.call('PATCH', `/me/events/${copy.id}`, { categories: ['Mine'], reminderMinutesBeforeStart: 5 });
    await ada.call('PATCH', `/me/events/${id}`, { subject: 'Planning 2' });
    expect(await only(ben)).toMatchObject({
      subject: 'Planning 2',
      categories: ['Mine'],
      reminderMinutesBeforeStart: 5,
      responseStatus: { response: 'accepted' },
    });
    await ada.call('PATCH', `/me/events/${id}`, timed('Planning 2', '2026-03-02T15:00:00'));
    expect(await only(ben)).toMatchObject({ responseStatus: { response: 'notResponded' } });
  });

  test('an attendee’s own change stays local and the next update overwrites it', async () => {
    const { id } = await meet();
    const copy = await only(ben);
    expect((await ben.call('PATCH', `/me/events/${copy.id}`, { subject: 'Mine' })).status).toBe(200);
    expect((await ada.read(`/me/events/${id}`)).subject).toBe('Planning');
    await ada.call('PATCH', `/me/events/${id}`, { location: { displayName: 'Room 1' } });
    expect(await only(ben)).toMatchObject({ subject: 'Planning', location: { displayName: 'Room 1' } });
  });

  test('who is no longer invited sees it cancelled', async () => {
    const { id } = await meet();
    await ada.call('PATCH', `/me/events/${id}`, { attendees: invite('cleo@fabrikam.test') });
    expect(await only(ben)).toMatchObject({ isCancelled: true, subject: 'Canceled: Planning', showAs: 'free' });
    expect(await only(cleo)).toMatchObject({ isCancelled: false });
  });

  test('extended properties stay with the organizer', async () => {
    const id = 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name k';
    await meet({ singleValueExtendedProperties: [{ id, value: 'x' }] });
    const copy = await only(ben);
    const expand = encodeURIComponent(`singleValueExtendedProperties($filter=id eq '${id}')`);
    expect(await ben.read(`/me/events/${copy.id}?$expand=${expand}`)).not.toHaveProperty(
      'singleValueExtendedProperties',
    );
  });

  test.each(['DELETE', 'cancel'])('%s by the organizer cancels for everybody', async (how) => {
    const { id } = await meet();
    const gone =
      how === 'DELETE'
        ? await ada.call('DELETE', `/me/events/${id}`)
        : await answer(ada, id, 'cancel', { comment: 'Sorry' });
    expect(gone.status).toBe(how === 'DELETE' ? 204 : 202);
    expect((await ada.get(`/me/events/${id}`)).status).toBe(404);
    expect(await only(ben)).toMatchObject({ isCancelled: true });
    expect(await only(cleo)).toMatchObject({ isCancelled: true });
  });

  test('an attendee cannot cancel, and a deletion is only theirs', async () => {
    const { id } = await meet();
    const copy = await only(ben);
    expect((await answer(ben, copy.id, 'cancel')).status).toBe(400);
    await ben.call('DELETE', `/me/events/${copy.id}`);
    expect((await ada.read(`/me/events/${id}`)).isCancelled).toBe(false);
    expect((await ben.read('/me/events')).value).toEqual([]);
  });
});

describe('answers', () => {
  test.each([
    ['accept', 'accepted', 'busy'],
    ['tentativelyAccept', 'tentativelyAccepted', 'tentative'],
  ])('%s', async (verb, response, showAs) => {
    const { id } = await meet();
    const copy = await only(ben);
    const { status, body } = await answer(ben, copy.id, verb, { comment: 'ok', sendResponse: true });
    expect([status, body]).toEqual([202, '']);
    expect(await only(ben)).toMatchObject({ responseStatus: { response, time: '2026-01-05T12:00:00Z' }, showAs });
    expect(await statuses(id)).toEqual({ ben: response, cleo: 'none' });
  });

  test('decline takes the event away and tells the organizer', async () => {
    const { id } = await meet();
    await answer(ben, (await only(ben)).id, 'decline');
    expect((await ben.read('/me/events')).value).toEqual([]);
    expect(await statuses(id)).toEqual({ ben: 'declined', cleo: 'none' });
  });

  test('are kept from the organizer with sendResponse false, in either spelling', async () => {
    const { id } = await meet();
    const copy = await only(ben);
    expect((await answer(ben, copy.id, 'accept', { SendResponse: false })).status).toBe(202);
    expect(await only(ben)).toMatchObject({ responseStatus: { response: 'accepted' } });
    expect((await statuses(id)).ben).toBe('none');
  });

  test('of the organizer are refused', async () => {
    const { id } = await meet();
    const { status, body } = await answer(ada, id, 'accept');
    expect([status, body.error.code]).toEqual([400, 'ErrorInvalidRequest']);
    expect(body.error.message).toContain("you're the meeting organizer");
  });

  test('nobody asked for must not be sent', async () => {
    const { id } = await meet({ responseRequested: false });
    const copy = await only(ben);
    const refused = await answer(ben, copy.id, 'accept', { sendResponse: true });
    expect(refused.body.error.message).toContain("organizer hasn't requested a response");
    expect((await answer(ben, copy.id, 'accept', { sendResponse: false })).status).toBe(202);
    expect((await statuses(id)).ben).toBe('none');
  });

  test('a comment or a proposal needs to be sent', async () => {
    await meet();
    const { id } = await only(ben);
    expect((await answer(ben, id, 'accept', { comment: 'x', sendResponse: false })).status).toBe(400);
    const proposedNewTime = { start: { dateTime: '2026-03-03T09:00:00', timeZone: 'UTC' } };
    expect((await answer(ben, id, 'decline', { proposedNewTime, sendResponse: false })).status).toBe(400);
  });

  const slot = (hour: number) => ({
    start: { dateTime: `2026-03-03T${hour}:00:00.0000000`, timeZone: 'UTC' },
    end: { dateTime: `2026-03-03T${hour + 1}:00:00.0000000`, timeZone: 'UTC' },
  });

  test('show the organizer the time that they propose, until a list without it replaces it', async () => {
    const { id } = await meet();
    const copy = await only(ben);
    const proposals = async (): Promise<Json> =>
      (await ada.read(`/me/events/${id}`)).attendees.map(({ proposedNewTime }: Json) => proposedNewTime);
    expect((await answer(ben, copy.id, 'tentativelyAccept', { proposedNewTime: slot(14) })).status).toBe(202);
    expect(await proposals()).toEqual([slot(14), undefined]);
    const { attendees } = await ada.read(`/me/events/${id}`);
    await ada.call('PATCH', `/me/events/${id}`, { attendees });
    expect(await proposals()).toEqual([slot(14), undefined]);
    await ada.call('PATCH', `/me/events/${id}`, { attendees: BOTH });
    expect(await proposals()).toEqual([undefined, undefined]);
    await answer(ben, copy.id, 'tentativelyAccept', { proposedNewTime: slot(15) });
    expect(await proposals()).toEqual([slot(15), undefined]);
    await answer(ben, copy.id, 'accept');
    expect(await proposals()).toEqual([undefined, undefined]);
  });

  test('propose no time where the organizer takes none, and none that cannot be read', async () => {
    await meet({ allowNewTimeProposals: false });
    const { id } = await only(ben);
    expect((await answer(ben, id, 'decline', { proposedNewTime: slot(14) })).status).toBe(400);
    expect((await answer(ben, id, 'decline', { proposedNewTime: { start: slot(14).start } })).status).toBe(400);
  });

  test('survive a replacement of the list for those who stay', async () => {
    const { id } = await meet();
    await answer(ben, (await only(ben)).id, 'accept');
    await ada.call('PATCH', `/me/events/${id}`, { attendees: invite('ben@contoso.test', 'new@else.test') });
    expect(await statuses(id)).toEqual({ ben: 'accepted', new: 'none' });
  });
});

describe('series', () => {
  test('copies follow exceptions and deletions of the organizer', async () => {
    const { id } = await meet({ recurrence: DAILY });
    const [, second, third] = await slots(ada, id);
    await ada.call('PATCH', `/me/events/${second.id}`, { subject: 'Special' });
    await ada.call('DELETE', `/me/events/${third.id}`);
    const copy = await only(ben);
    const theirs = await slots(ben, copy.id);
    expect(theirs.map(({ subject, type, isCancelled }) => [subject, type, isCancelled]).slice(0, 4)).toEqual([
      ['Planning', 'occurrence', false],
      ['Special', 'exception', false],
      ['Canceled: Planning', 'exception', true],
      ['Planning', 'occurrence', false],
    ]);
  });

  test('one occurrence can be answered', async () => {
    const { id } = await meet({ recurrence: DAILY });
    const copy = await only(ben);
    const [, second, third] = await slots(ben, copy.id);
    expect((await answer(ben, second.id, 'accept')).status).toBe(202);
    expect((await answer(ben, third.id, 'decline')).status).toBe(202);
    const theirs = await slots(ben, copy.id);
    expect(theirs.map(({ start, responseStatus }) => [start.dateTime.slice(8, 10), responseStatus.response])).toEqual([
      ['02', 'notResponded'],
      ['03', 'accepted'],
      ['05', 'notResponded'],
      ['06', 'notResponded'],
    ]);
    const mine = await slots(ada, id);
    const ofBen = ({ attendees }: Json) => attendees[0].status.response;
    expect(mine.map(ofBen)).toEqual(['none', 'accepted', 'declined', 'none', 'none']);
  });

  test('a change of pattern reaches the copies', async () => {
    const { id } = await meet({ recurrence: DAILY });
    await ada.call('PATCH', `/me/events/${id}`, {
      recurrence: { ...DAILY, pattern: { type: 'daily', interval: 2 } },
    });
    const copy = await only(ben);
    expect(copy.recurrence.pattern.interval).toBe(2);
    expect((await slots(ben, copy.id)).map(({ start }) => start.dateTime.slice(8, 10))).toEqual(['02', '04', '06']);
  });
});
