import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { body, type Connected, calendarsPath, eventsPath, expectProblem } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

/** Sunday. */
const NOW = Date.UTC(2026, 2, 1, 12);
const clock = manualClock(NOW);

const storage = sqlite({ path: ':memory:', clock });

let world: World;
beforeAll(async () => {
  // The sandbox delays its answers by the same clock.
  const time = { now: clock.now, wait: (ms: number) => clock.sleep(ms) };
  world = await createWorld({ storage, clock }, { clock, time, background: false });
});
afterAll(() => world.close());

let day = 1;
beforeEach(() => {
  day += 1;
});
const timesAt = (hour: string, until: string) => {
  const date = new Date(NOW + day * 86_400_000).toISOString().slice(0, 10);
  return [`${date}T${hour}:00`, `${date}T${until}:00`] as const;
};
const slotAt = (hour: string, until: string) => {
  const [startDateTime, endDateTime] = timesAt(hour, until);
  return { startDateTime, endDateTime, timeZone: 'Europe/Berlin' };
};
const eventAt = (hour: string, until: string) => {
  const [start, end] = timesAt(hour, until).map((dateTime) => ({ dateTime, timeZone: 'Europe/Berlin' }));
  return { title: 'Other', start, end };
};
const participant = ({ accountId, calendarId }: Connected, ...more: readonly string[]) => ({
  endUserAccountId: accountId,
  calendarIds: [calendarId, ...more],
});

/** Books from nine to ten. */
async function book(participants: readonly Json[], more: Json = {}): Promise<Json> {
  const held = await world.call('POST', '/v1/holds', { body: { participants, ...slotAt('09:00', '10:00') } });
  const event = { title: 'Advice' };
  const path = `/v1/holds/${body(held, 201).id}/confirm`;
  return body(await world.call('POST', path, { body: { event, ...more } }), 201);
}
const move = ({ token }: Json, hour: string, until: string) =>
  world.call('PUT', `/v1/bookings/${token}`, { body: slotAt(hour, until) });
/** Lets time pass until the work is done. */
async function passing<Result>(work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  void work.then(done, done);
  while (!isDone) await clock.advance(100);
  return await work;
}
const add = async (person: Omit<Connected, 'email'>) =>
  body(await world.call('POST', eventsPath(person), { body: eventAt('09:00', '10:00') }), 201);

describe.each(PROVIDERS)('a booking that moves, at $provider', ({ provider }) => {
  let ada: Connected;
  /** At the same provider, and invited to the event. */
  let ben: Connected;
  /** At the other one, whose mailbox no invitation reaches. */
  let mary: Connected;
  let second: string;
  beforeAll(async () => {
    ada = await world.connect(provider);
    ben = await world.connect(provider);
    mary = await world.connect(provider === 'google' ? 'microsoft' : 'google');
    second = body(await world.call('POST', calendarsPath(ada.accountId), { body: { name: 'Second' } }), 201).id;
  });

  /** The copy of an invited participant, pulled. */
  async function copyOf(person: Connected, booking: Json): Promise<Json> {
    const late = { participants: [participant(person)], ...slotAt('20:00', '21:00'), pullFirst: true };
    body(await world.call('POST', '/v1/holds', { body: late }), 201);
    const { data } = body(await world.call('GET', `${eventsPath(person)}?limit=1000`));
    return data.find(({ iCalUid }: Json) => iCalUid === booking['event'].iCalUid);
  }

  /** A person makes the organizer's event one of a whole day. */
  async function makeWholeDay({ event }: Json): Promise<Json> {
    const date = timesAt('00:00', '00:00')[0].slice(0, 10);
    const path = eventsPath(ada, event.id);
    return body(await world.call('PUT', path, { body: { isAllDay: true, start: { date }, end: null } }));
  }

  it('finds an event of exactly its own time in another calendar in its way', async () => {
    const booking = await book([participant(ada, second)]);
    await add({ ...ada, calendarId: second });
    expectProblem(await move(booking, '09:30', '10:30'), 409, 'SlotTaken');
    body(await move(booking, '10:00', '11:00'));
  });

  it('finds an event of a participant without an invitation in its way', async () => {
    const booking = await book([participant(ada), participant(mary)]);
    await add(mary);
    expectProblem(await move(booking, '09:30', '10:30'), 409, 'SlotTaken');
    body(await move(booking, '10:00', '11:00'));
  });

  it('finds the event for which a participant has declined it in its way', async () => {
    const booking = await book([participant(ada), participant(ben)]);
    const copy = await copyOf(ben, booking);
    body(await world.call('POST', `${eventsPath(ben, copy['id'])}/rsvp`, { body: { responseStatus: 'declined' } }));
    await add(ben);
    expectProblem(await move(booking, '09:30', '10:30'), 409, 'SlotTaken');
  });

  it('finds an event beside its own in its way once its own takes no time', async () => {
    const booking = await book([participant(ada)]);
    body(await world.call('PUT', eventsPath(ada, booking['event'].id), { body: { transparency: 'transparent' } }));
    await add(ada);
    expectProblem(await move(booking, '09:30', '10:30'), 409, 'SlotTaken');
  });

  it('is not kept from a part of its own time by the copies of those who are invited', async () => {
    const booking = await book([participant(ada), participant(ben)]);
    expect(await copyOf(ben, booking)).toMatchObject({ transparency: 'opaque' });
    body(await move(booking, '09:30', '10:30'));
  });

  it('moves twice before the mirror of an invited participant shows that it has moved', async () => {
    const booking = await book([participant(ada), participant(ben)]);
    await copyOf(ben, booking);
    body(await move(booking, '10:00', '11:00'));
    const { data } = body(await world.call('GET', `${eventsPath(ben)}?limit=1000`));
    const shown = data.find(({ iCalUid }: Json) => iCalUid === booking['event'].iCalUid);
    expect(shown.start.dateTime).toContain('T09:00:00');
    body(await move(booking, '09:30', '10:30'));
  });

  it('leaves its time to a hold that pulls first, once it is cancelled', async () => {
    const participants = [participant(ada), participant(ben)];
    const booking = await book(participants);
    await copyOf(ben, booking);
    body(await world.call('DELETE', `/v1/bookings/${booking['token']}`));
    const again = { participants, ...slotAt('09:00', '10:00') };
    expectProblem(await world.call('POST', '/v1/holds', { body: again }), 409, 'SlotTaken');
    body(await world.call('POST', '/v1/holds', { body: { ...again, pullFirst: true } }), 201);
  });

  it('is not kept from a part of its own time by the events of all participants', async () => {
    const booking = await book([participant(ada), participant(mary)], { writeTo: 'each' });
    body(await move(booking, '09:30', '10:30'));
  });

  it('takes a time again when its person has made its event one of a whole day', async () => {
    const booking = await book([participant(ada)]);
    await makeWholeDay(booking);
    // Its own day is not in the way.
    const moved = body(await move(booking, '14:00', '15:00'));
    expect(moved.event).toMatchObject({ isAllDay: false, start: { timeZone: 'Europe/Berlin' } });
    expect(moved.event.start.dateTime).toContain('T14:00:00');
    expect(moved.event.end.dateTime).toContain('T15:00:00');
  });

  describe('whose provider has not answered', () => {
    /** Begins to move a booking from nine to eleven, while the provider is not available. */
    async function beginMove(): Promise<Json> {
      const booking = await book([participant(ada)]);
      world.sandbox.faults.arm({ provider, method: 'PATCH', path: '.*', kind: 'answer', status: 503 });
      expectProblem(await passing(move(booking, '11:00', '12:00')), 503, 'ProviderUnavailable');
      world.sandbox.faults.clear();
      return booking;
    }

    it('is moved by the same request, sent again', async () => {
      const booking = await beginMove();
      const { event } = body(await passing(move(booking, '11:00', '12:00')));
      expect(event.start.dateTime).toContain('T11:00:00');
      const at = timesAt('09:00', '10:00')[0].slice(0, 10);
      const { data } = body(await world.call('GET', `${eventsPath(ada)}?limit=1000`));
      const ofDay = data.filter(({ start }: Json) => start.dateTime?.startsWith(at));
      expect(ofDay.map(({ title, start }: Json) => [title, start.dateTime.slice(11, 16)])).toEqual([
        ['Advice', '11:00'],
      ]);
      // Its former time is free again, and nothing is left to finish.
      const held = { participants: [participant(ada)], ...slotAt('09:00', '10:00') };
      body(await world.call('POST', '/v1/holds', { body: held }), 201);
      body(await move(booking, '13:00', '14:00'));
    });

    it('cannot be moved elsewhere meanwhile, also not to a part of that time', async () => {
      const booking = await beginMove();
      for (const [hour, until] of [['14:00', '15:00'] as const, ['11:30', '12:30'] as const]) {
        const refused = await move(booking, hour, until);
        expectProblem(refused, 409, 'Conflict');
        expect(refused.headers.get('retry-after')).not.toBeNull();
      }
    });

    it('is moved once by two requests at a time', async () => {
      const booking = await book([participant(ada)]);
      world.sandbox.faults.arm({ provider, method: 'PATCH', path: '.*', kind: 'delay', delayMs: 3_000, times: 1 });
      world.sandbox.requests.clear();
      const moves = [move(booking, '11:00', '12:00'), move(booking, '11:00', '12:00')];
      const answers = await passing(Promise.all(moves));
      const starts = answers.map((answer) => body(answer).event.start.dateTime.slice(11, 16));
      expect(starts).toEqual(['11:00', '11:00']);
      expect(world.sandbox.requests.list().filter(({ method }) => method === 'PATCH')).toHaveLength(1);
    });

    it('is not moved back by a move that was left, once another one has been answered', async () => {
      const booking = await beginMove();
      await clock.advance(400_000);
      const { event } = body(await passing(move(booking, '14:00', '15:00')));
      expect(event.start.dateTime).toContain('T14:00:00');
      const due = await storage.holds.listDue(100);
      expect(due.filter(({ replaces }) => replaces === booking['holdId'])).toEqual([]);
    });

    it('is moved back to its own slot by two requests at a time, both of which say so', async () => {
      const booking = await book([participant(ada)]);
      const [start, end] = timesAt('15:00', '16:00').map((dateTime) => ({ dateTime, timeZone: 'Europe/Berlin' }));
      body(await world.call('PUT', eventsPath(ada, booking['event'].id), { body: { start, end } }));
      world.sandbox.faults.arm({ provider, method: 'PATCH', path: '.*', kind: 'delay', delayMs: 3_000, times: 1 });
      const answers = await passing(Promise.all([1, 2].map(() => move(booking, '09:00', '10:00'))));
      const starts = answers.map((answer) => body(answer).event.start.dateTime.slice(11, 16));
      expect(starts).toEqual(['09:00', '09:00']);
    });

    it('is told as what was begun, where the provider limits requests', async () => {
      const booking = await book([participant(await world.connect(provider))]);
      const limit = { provider, path: '.*', kind: 'answer', status: 429, headers: { 'retry-after': '70' } } as const;
      world.sandbox.faults.arm({ ...limit, method: 'PATCH' });
      expectProblem(await passing(move(booking, '11:00', '12:00')), 503, 'ProviderUnavailable');
      world.sandbox.faults.clear();
      await clock.advance(400_000);
      world.sandbox.faults.arm({ ...limit, method: 'DELETE' });
      world.sandbox.faults.arm({ ...limit, method: 'POST' });
      const cancelled = await passing(world.call('DELETE', `/v1/bookings/${booking['token']}`));
      world.sandbox.faults.clear();
      expectProblem(cancelled, 503, 'ProviderUnavailable');
      expect(cancelled.headers.get('retry-after')).not.toBeNull();
    });
  });

  it('is of a whole day again when it cannot be moved', async () => {
    const booking = await book([participant(ada), participant(mary)], { writeTo: 'each' });
    const { start, end } = await makeWholeDay(booking);
    const refusing = provider === 'google' ? 'microsoft' : 'google';
    world.sandbox.faults.arm({ provider: refusing, method: 'PATCH', path: '.*', kind: 'answer', status: 403 });
    const refused = await move(booking, '14:00', '15:00');
    world.sandbox.faults.clear();
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
    const { event } = body(await world.call('GET', `/v1/bookings/${booking['token']}`));
    expect(event).toMatchObject({ isAllDay: true, start, end });
  });
});
