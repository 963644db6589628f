import { manualClock } from '@kalends/conformance';
import type { SentMail } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectCalDav } from './scheduling-world.ts';
import { body, type Connected, eventsPath, expectProblem } from './steps.ts';
import { type Answer, createWorld, type Json, type ProviderName, type World } from './world.ts';

/** Sunday. */
const NOW = Date.UTC(2026, 2, 1, 12);
const clock = manualClock(NOW);
/** Of the organizer. The other participants are at the other providers. */
const ORGANIZERS = ['google', 'microsoft', 'caldav'] as const;

let world: World;
let people: Readonly<Record<(typeof ORGANIZERS)[number], Connected>>;
beforeAll(async () => {
  world = await createWorld(
    { storage: sqlite({ path: ':memory:', clock }), clock },
    { clock, background: false, hasCalDav: true },
  );
  people = {
    google: await world.connect('google'),
    microsoft: await world.connect('microsoft'),
    caldav: await connectCalDav(world),
  };
});
afterAll(() => world.close());
afterEach(() => world.sandbox.faults.clear());

const participant = ({ accountId, calendarId }: Connected) => ({
  endUserAccountId: accountId,
  calendarIds: [calendarId],
});
let day = 1;
beforeEach(() => {
  day += 1;
});
const slotAt = (hour: string, until: string) => {
  const date = new Date(NOW + day * 86_400_000).toISOString().slice(0, 10);
  return { startDateTime: `${date}T${hour}:00`, endDateTime: `${date}T${until}:00`, timeZone: 'UTC' };
};
const take = (participants: readonly Connected[], more: Json = {}, slot: Json = slotAt('09:00', '10:00')) =>
  world.call('POST', '/v1/holds', { body: { participants: participants.map(participant), ...slot, ...more } });
const confirm = (id: string, more: Json = {}, event: Json = { title: 'Advice' }): Promise<Answer> =>
  whileTimePasses(world.call('POST', `/v1/holds/${id}/confirm`, { body: { event, ...more } }));

/** Lets time pass meanwhile: Google's meetings are waited for. */
async function whileTimePasses<Result>(work: Promise<Result>): Promise<Result> {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) await clock.advance(10);
  return await work;
}

/** Events of the present day, by all that can tell them apart. */
async function eventsOf(person: Connected): Promise<readonly Json[]> {
  const date = slotAt('00:00', '01:00').startDateTime.slice(0, 10);
  const { data } = body(await world.call('GET', `${eventsPath(person)}?limit=1000`));
  return data.filter(({ start }: Json) => start.dateTime.startsWith(date));
}
const titlesOf = async (person: Connected) => (await eventsOf(person)).map(({ title }) => title);
const titles = async () => await Promise.all(Object.values(people).map(titlesOf));

const mails = () =>
  (['google', 'microsoft'] as const).flatMap(
    (provider: ProviderName) => world.sandbox[provider].controls['listMails']?.({}) as SentMail[],
  );

describe.each(ORGANIZERS)('holds and bookings whose organizer is at %s', (provider) => {
  let all: readonly Connected[];
  beforeAll(() => {
    all = [people[provider], ...Object.values(people).filter((person) => person !== people[provider])];
  });

  it('shows a held slot as a tentative event to the organizer, and removes it with the hold', async () => {
    const held = body(await take(all, { tentativeEvent: { writeTo: 'organizer' } }), 201);
    const [shown] = await eventsOf(people[provider]);
    expect(shown).toMatchObject({ title: 'Hold', showAs: 'tentative', attendees: [] });
    expect(shown?.start.dateTime).toMatch(/T09:00:00/);
    expect((await titles()).flat()).toEqual(['Hold']);
    body(await world.call('DELETE', `/v1/holds/${held.id}`));
    expect((await titles()).flat()).toEqual([]);
    expectProblem(await world.call('GET', `/v1/holds/${held.id}`), 404, 'NotFound');
    body(await take(all), 201);
  });

  it('shows it to each participant, and the event takes its place: no own confirmation is refused', async () => {
    const before = mails().length;
    const tentativeEvent = { writeTo: 'each', title: 'Hold: Advice' };
    const held = body(await take(all, { tentativeEvent }), 201);
    expect(await titles()).toEqual([['Hold: Advice'], ['Hold: Advice'], ['Hold: Advice']]);
    expectProblem(await take(all.slice(0, 1)), 409, 'SlotTaken');
    const { token, participantEvents } = body(await confirm(held.id, { writeTo: 'each' }), 201);
    expect(await titles()).toEqual([['Advice'], ['Advice'], ['Advice']]);
    expect(participantEvents.map(({ endUserAccountId }: Json) => endUserAccountId)).toEqual(
      all.map(({ accountId }) => accountId),
    );
    expect(mails().length).toBe(before);
    expect(body(await world.call('GET', `/v1/holds/${held.id}`))).toMatchObject({
      status: 'booked',
      bookingToken: token,
    });
  });

  it('releases the slot when a tentative event is refused, and leaves none', async () => {
    const last = all.at(-1)!;
    const where = last === people.google ? 'google' : last === people.microsoft ? 'microsoft' : 'caldav';
    const method = where === 'caldav' ? 'PUT' : 'POST';
    world.sandbox.faults.arm({ provider: where, method, path: '.*', kind: 'answer', status: 403 });
    const refused = await take(all, { tentativeEvent: { writeTo: 'each' } });
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
    world.sandbox.faults.clear();
    expect(await titles()).toEqual([[], [], []]);
    body(await take(all), 201);
  });

  it('books an event of its own for each participant, moves and cancels them all', async () => {
    const held = body(await take(all), 201);
    const event = { title: 'Advice', description: 'Bring papers', attendees: [{ email: 'guest@example.com' }] };
    const booking = body(await confirm(held.id, { writeTo: 'each' }, event), 201);
    expect(body(await confirm(held.id, { writeTo: 'each' }, event), 201)).toEqual(booking);
    expectProblem(await confirm(held.id, {}, event), 409, 'Conflict');
    const written = await Promise.all(all.map(eventsOf));
    expect(written.map((events) => events.map(({ title }) => title))).toEqual([['Advice'], ['Advice'], ['Advice']]);
    const guests = written.map(([own]) => own?.attendees.map(({ email }: Json) => email));
    expect(guests[0]).toContain('guest@example.com');
    expect(guests.slice(1).flat()).toEqual([]);
    const path = `/v1/bookings/${booking.token}`;
    const moved = body(await world.call('PUT', path, { body: slotAt('09:30', '10:30') }));
    const starts = async () =>
      (await Promise.all(all.map(eventsOf))).map((events) => events.map(({ start }) => start.dateTime.slice(11, 16)));
    expect(await starts()).toEqual([['09:30'], ['09:30'], ['09:30']]);
    expect(moved.participantEvents).toEqual(booking.participantEvents);
    expectProblem(await take(all.slice(1, 2), {}, slotAt('10:00', '11:00')), 409, 'SlotTaken');
    body(await world.call('DELETE', path));
    expect(await titles()).toEqual([[], [], []]);
    expectProblem(await world.call('GET', path), 404, 'NotFound');
    expectProblem(await world.call('GET', `/v1/holds/${held.id}`), 404, 'NotFound');
    body(await take(all, {}, slotAt('09:30', '10:30')), 201);
  });

  it('writes no event at all when one participant’s is refused', async () => {
    const held = body(await take(all, { tentativeEvent: { writeTo: 'each' } }), 201);
    const last = all.at(-1)!;
    const where = last === people.google ? 'google' : last === people.microsoft ? 'microsoft' : 'caldav';
    const method = where === 'caldav' ? 'PUT' : 'POST';
    world.sandbox.faults.arm({ provider: where, method, path: '.*', kind: 'answer', status: 403 });
    const refused = await confirm(held.id, { writeTo: 'each' });
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
    world.sandbox.faults.clear();
    expect(await titles()).toEqual([[], [], []]);
    expectProblem(await world.call('GET', `/v1/holds/${held.id}`), 404, 'NotFound');
    body(await take(all), 201);
  });

  it('moves no event when one of them cannot be moved', async () => {
    const booking = body(await confirm(body(await take(all), 201).id, { writeTo: 'each' }), 201);
    const last = all.at(-1)!;
    const where = last === people.google ? 'google' : last === people.microsoft ? 'microsoft' : 'caldav';
    const method = where === 'caldav' ? 'PUT' : 'PATCH';
    world.sandbox.faults.arm({ provider: where, method, path: '.*', kind: 'answer', status: 403 });
    const refused = await world.call('PUT', `/v1/bookings/${booking.token}`, { body: slotAt('12:00', '13:00') });
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
    world.sandbox.faults.clear();
    const starts = (await Promise.all(all.map(eventsOf))).map(([own]) => own?.start.dateTime.slice(11, 16));
    expect(starts).toEqual(['09:00', '09:00', '09:00']);
    const kept = body(await world.call('GET', `/v1/bookings/${booking.token}`));
    expect(kept.startDateTime).toMatch(/T09:00/);
    body(await take(all, {}, slotAt('12:00', '13:00')), 201);
  });

  it('moves an event back to where its person had moved it', async () => {
    const booking = body(await confirm(body(await take(all), 201).id, { writeTo: 'each' }), 201);
    const ownPath = eventsPath(people[provider], booking.event.id);
    const { startDateTime, endDateTime } = slotAt('11:00', '12:30');
    const own = {
      start: { dateTime: startDateTime, timeZone: 'Europe/Lisbon' },
      end: { dateTime: endDateTime, timeZone: 'Europe/Lisbon' },
    };
    const { start, end } = body(await world.call('PUT', ownPath, { body: own }));
    const last = all.at(-1)!;
    const where = last === people.google ? 'google' : last === people.microsoft ? 'microsoft' : 'caldav';
    const method = where === 'caldav' ? 'PUT' : 'PATCH';
    world.sandbox.faults.arm({ provider: where, method, path: '.*', kind: 'answer', status: 403 });
    const refused = await world.call('PUT', `/v1/bookings/${booking.token}`, { body: slotAt('14:00', '15:00') });
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
    world.sandbox.faults.clear();
    expect(body(await world.call('GET', ownPath))).toMatchObject({ start, end });
  });

  it('keeps a booking whose event cannot be deleted', async () => {
    const booking = body(await confirm(body(await take(all), 201).id, { writeTo: 'each' }), 201);
    const path = `/v1/bookings/${booking.token}`;
    world.sandbox.faults.arm({ provider, method: 'DELETE', path: '.*', kind: 'answer', status: 403 });
    expect((await world.call('DELETE', path)).status).toBe(403);
    world.sandbox.faults.clear();
    expect(body(await world.call('GET', path)).event.title).toBe('Advice');
    expect(await titles()).toEqual([['Advice'], ['Advice'], ['Advice']]);
    body(await world.call('DELETE', path));
    expect(await titles()).toEqual([[], [], []]);
  });
});

describe('the meeting of a booking', () => {
  it.each([
    ['google', 'hangoutsMeet', /^https:\/\/meet\.google\.com\//],
    ['microsoft', 'teamsForBusiness', /^https:\/\//],
  ] as const)('at %s: %s is made once, however often the hold is confirmed, and stays when it moves', async (...row) => {
    const [provider, generateMeetingUrlProvider, link] = row;
    const held = body(await take([people[provider]]), 201);
    const event = { title: 'Advice', generateMeetingUrlProvider };
    const booking = body(await confirm(held.id, {}, event), 201);
    const { joinUrl } = booking.event.conferenceData;
    expect(joinUrl).toMatch(link);
    expect(body(await confirm(held.id, {}, event), 201).event.conferenceData.joinUrl).toBe(joinUrl);
    const path = `/v1/bookings/${booking.token}`;
    const moved = body(await world.call('PUT', path, { body: slotAt('11:00', '12:00') }));
    expect(moved.event.conferenceData.joinUrl).toBe(joinUrl);
    body(await world.call('DELETE', path));
  });

  it.each([
    ['google', 201],
    ['caldav', 201],
    ['microsoft', 422],
  ] as const)('at %s: one that is given by hand is answered with %s', async (provider, status) => {
    const held = body(await take([people[provider]]), 201);
    const conferenceData = { conferenceType: 'addOn', conferenceId: 'one', joinUrl: 'https://video.example/1' };
    const answer = await confirm(held.id, {}, { title: 'Advice', conferenceData });
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    if (status === 422) {
      expectProblem(await world.call('GET', `/v1/holds/${held.id}`), 404, 'NotFound');
    } else expect(answer.body.event.conferenceData.joinUrl).toBe('https://video.example/1');
  });

  it('a service that the calendar does not have is refused, and the slot is free', async () => {
    const held = body(await take([people.google]), 201);
    const refused = await confirm(held.id, {}, { title: 'Advice', generateMeetingUrlProvider: 'teamsForBusiness' });
    expectProblem(refused, 422, 'UnsupportedByProvider', 'event.generateMeetingUrlProvider');
    body(await take([people.google]), 201);
  });

  it('is in the events of all participants: the organizer’s makes it, the others show its link', async () => {
    const { google, microsoft, caldav } = people;
    const all = [google, microsoft, caldav];
    const held = body(await take(all), 201);
    const event = { title: 'Advice', location: 'Room 4', generateMeetingUrlProvider: 'hangoutsMeet' };
    const booking = body(await confirm(held.id, { writeTo: 'each' }, event), 201);
    const { joinUrl } = booking.event.conferenceData;
    for (const person of [microsoft, caldav]) {
      const [own] = await eventsOf(person);
      expect([own?.location, own?.description.trim()]).toEqual(['Room 4', joinUrl]);
    }
    body(await world.call('DELETE', `/v1/bookings/${booking.token}`));
  });

  it('is left out of the copies that have no room for it', async () => {
    const { google, microsoft } = people;
    for (const [length, hasLink] of [
      [8_192, false],
      [8_000, true],
    ] as const) {
      const held = body(await take([microsoft, google]), 201);
      const description = 'x'.repeat(length);
      const event = {
        title: 'Advice',
        location: 'Room 4',
        description,
        generateMeetingUrlProvider: 'teamsForBusiness',
      };
      const booking = body(await confirm(held.id, { writeTo: 'each' }, event), 201);
      const { joinUrl } = booking.event.conferenceData;
      const [own] = await eventsOf(google);
      expect(own?.description).toBe(hasLink ? `${description}\n\n${joinUrl}` : description);
      body(await world.call('DELETE', `/v1/bookings/${booking.token}`));
    }
  });
});

describe('next slots by the rules of the participants', () => {
  const startsOf = (answer: Answer) =>
    answer.body.nextSlots.map(({ startDateTime }: Json) => startDateTime.slice(8, 16));

  it('are those that availability would offer', async () => {
    const { google, microsoft } = people;
    const slot = { startDateTime: '2026-05-05T09:00:00', endDateTime: '2026-05-05T10:00:00', timeZone: 'UTC' };
    const openHours = [{ days: ['TU', 'WE'], start: '09:00', end: '12:00' }];
    const rules = { openHours, holidays: ['2026-05-06'] };
    const asked = {
      ...slot,
      stepMinutes: 30,
      rules,
      participants: [
        { ...participant(google), bufferBeforeMinutes: 30 },
        { ...participant(microsoft), timeZone: 'Europe/London' },
      ],
    };
    const first = body(await world.call('POST', '/v1/holds', { body: asked }), 201);
    const refused = await world.call('POST', '/v1/holds', { body: asked });
    expectProblem(refused, 409, 'SlotTaken');
    const query = {
      startDateTime: '2026-05-05T09:00:00',
      endDateTime: '2026-05-19T10:00:00',
      timeZone: 'UTC',
      durationMinutes: 60,
      stepMinutes: 30,
      rules,
      limit: 5,
      participants: asked.participants.map(({ endUserAccountId, calendarIds, ...own }) => ({
        id: endUserAccountId,
        accounts: [{ endUserAccountId, calendarIds }],
        ...own,
      })),
    };
    const { slots } = body(await world.call('POST', '/v1/availability', { body: query }));
    expect(startsOf(refused)).toEqual(slots.map(({ start }: Json) => start.dateTime.slice(8, 16)));
    expect(startsOf(refused)[0]).toBe('12T09:00');
    // The rules are kept with the hold: its booking moves by them.
    const booking = body(await confirm(first.id), 201);
    const other = body(
      await take([google], {}, { ...slot, startDateTime: '2026-05-05T10:30:00', endDateTime: '2026-05-05T11:30:00' }),
      201,
    );
    const move = { ...slot, startDateTime: '2026-05-05T11:00:00', endDateTime: '2026-05-05T12:00:00' };
    const blocked = await world.call('PUT', `/v1/bookings/${booking.token}`, { body: move });
    expectProblem(blocked, 409, 'SlotTaken');
    expect(startsOf(blocked)[0]).toBe('12T09:00');
    body(await world.call('DELETE', `/v1/holds/${other.id}`));
    body(await world.call('DELETE', `/v1/bookings/${booking.token}`));
  });

  it('stay in the zone of the hold when its booking moves in the zone of a guest', async () => {
    const { google, microsoft } = people;
    const zoned = (start: string, end: string, timeZone: string) => ({
      startDateTime: `2026-05-21T${start}`,
      endDateTime: `2026-05-21T${end}`,
      timeZone,
    });
    const rules = { openHours: [{ days: ['TH', 'FR'], start: '09:00', end: '17:00' }] };
    const held = body(await take([google], { rules }, zoned('09:00:00', '10:00:00', 'Europe/Berlin')), 201);
    const booking = body(await confirm(held.id), 201);
    body(await take([google], {}, zoned('15:30:00', '17:00:00', 'Europe/Berlin')), 201);
    body(await take([google, microsoft], {}, zoned('13:00:00', '14:00:00', 'Europe/Berlin')), 201);
    const move = { body: zoned('07:00:00', '08:00:00', 'America/New_York') };
    const refused = await world.call('PUT', `/v1/bookings/${booking.token}`, move);
    expectProblem(refused, 409, 'SlotTaken');
    // 14:00 to 15:30 and, on the day after, from 09:00 on, in Berlin.
    expect(startsOf(refused)).toEqual(['21T08:00', '21T08:15', '21T08:30', '22T03:00', '22T03:15']);
    body(await world.call('DELETE', `/v1/bookings/${booking.token}`));
  });

  it.each<[string, Json]>([
    ['participants.0.timeZone', { participants: [{ timeZone: 'Nowhere' }] }],
    [
      'participants.0.bookings.0.startDateTime',
      { participants: [{ bookings: [{ startDateTime: 'x', endDateTime: 'y' }] }] },
    ],
    [
      'participants.0.openHours.0.days',
      { participants: [{ openHours: [{ days: [], start: '09:00', end: '10:00' }] }] },
    ],
    ['rules.maxPerDay', { rules: { maxPerDay: 0 } }],
    ['stepMinutes', { stepMinutes: 0 }],
    ['tentativeEvent.writeTo', { tentativeEvent: { writeTo: 'all' } }],
  ])('%s is refused by its name', async (path, { participants = [{}], ...more }) => {
    const sent = participants.map((own: Json) => ({ ...participant(people.google), ...own }));
    const refused = await world.call('POST', '/v1/holds', {
      body: { ...slotAt('09:00', '10:00'), participants: sent, ...more },
    });
    expectProblem(refused, 400, 'InvalidRequest', path);
  });
});
