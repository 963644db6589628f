import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { body, type Connected, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
let account: Connected;
beforeAll(async () => {
  world = await createWorld({ clock });
  account = await world.connect('google');
});
afterAll(() => world.close());

const create = async (fields: Json) => body(await world.call('POST', eventsPath(account), { body: fields }), 201);

/** The dates on which a series occurs between two dates. */
async function datesOf(id: string, from: string, to: string): Promise<readonly string[]> {
  const asked = query({ startDateTime: `${from}T00:00:00Z`, endDateTime: `${to}T00:00:00Z`, orderBy: 'startDateTime' });
  const { data } = body(await world.call('GET', `${eventsPath(account, id)}/occurrences${asked}`));
  return data.map(({ start }: Json) => start.dateTime.slice(0, 10));
}

describe('occurrence 1,000 of a daily series at Google', () => {
  it('is edited and cancelled like the first', async () => {
    const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'UTC' };
    const { id } = await create({ title: 'Stand-up', start, recurrence: ['RRULE:FREQ=DAILY'] });
    const at = (date: string) => eventsPath(account, `${id}_${date}T090000Z`);
    const edited = body(await world.call('PUT', at('20281125'), { body: { title: 'Late' } }));
    expect(edited).toMatchObject({
      title: 'Late',
      isException: true,
      start: { dateTime: '2028-11-25T09:00:00+00:00' },
    });
    body(await world.call('DELETE', at('20281126')));
    clock.pass(MINUTE_MS);
    expect(await datesOf(id, '2028-11-25', '2028-11-28')).toEqual(['2028-11-25', '2028-11-27']);
  });
});

test('a series whose rule ended before its start is shown on no day, and an edit adds none', async () => {
  const event = {
    id: 'ended',
    summary: 'Ended',
    organizer: { email: account.email, self: true },
    start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'UTC' },
    recurrence: ['RRULE:FREQ=WEEKLY;UNTIL=20260301T235959Z'],
  };
  world.sandbox.google.controls['plantEvent']?.({ calendarId: account.email, event });
  clock.pass(MINUTE_MS);
  body(await world.call('GET', eventsPath(account)));
  expect(await datesOf('ended', '2026-01-01', '2026-04-01')).toEqual([]);
  const at = (hour: number) => ({ dateTime: `2026-03-02T${hour}:00:00`, timeZone: 'UTC' });
  const sent = { title: 'Over', start: at(11), end: at(12) };
  expect(body(await world.call('PUT', eventsPath(account, 'ended'), { body: sent })).title).toBe('Over');
  const path = '/calendars/primary/events/ended';
  const { recurrence } = await world.atProvider('google', account.email, 'GET', path);
  expect(recurrence).toEqual([expect.stringMatching(/^RRULE:FREQ=WEEKLY;UNTIL=/)]);
  expect(await datesOf('ended', '2026-01-01', '2026-04-01')).toEqual([]);
});

describe('a yearly rule with a day of the month and no month', () => {
  const rule = 'RRULE:FREQ=YEARLY;BYMONTHDAY=2';

  it('is every month when a caller writes it, as in RFC 5545', async () => {
    const { id } = await create({ title: 'Rent', start: { date: '2026-03-02' }, recurrence: [rule] });
    const expected = ['2026-03-02', '2026-04-02', '2026-05-02'];
    expect(await datesOf(id, '2026-03-01', '2026-06-01')).toEqual(expected);
    // Sent again in the caller's own words, it changes nothing.
    const before = body(await world.call('GET', eventsPath(account, id)));
    expect(body(await world.call('PUT', eventsPath(account, id), { body: { recurrence: [rule] } })).etag).toBe(
      before.etag,
    );
    clock.pass(MINUTE_MS);
    expect(await datesOf(id, '2026-03-01', '2026-06-01')).toEqual(expected);
  });

  it('is once a year when Google sends it', async () => {
    const event = {
      id: 'birthday1',
      summary: 'Birthday',
      start: { date: '2026-03-02' },
      end: { date: '2026-03-02' },
      recurrence: ['RRULE:FREQ=YEARLY;WKST=MO;INTERVAL=1;BYMONTHDAY=2', 'X-UNKNOWN:1'],
    };
    world.sandbox.google.controls['plantEvent']?.({ calendarId: account.email, event });
    clock.pass(MINUTE_MS);
    body(await world.call('GET', eventsPath(account)));
    const shown = body(await world.call('GET', eventsPath(account, 'birthday1')));
    expect(shown).toMatchObject({
      end: { dateTime: '2026-03-03T00:00:00' },
      recurrence: ['RRULE:FREQ=YEARLY;WKST=MO;INTERVAL=1;BYMONTH=3;BYMONTHDAY=2'],
    });
    expect(await datesOf('birthday1', '2026-03-01', '2028-03-01')).toEqual(['2026-03-02', '2027-03-02']);
  });

  it('is refused where Google has no rule that means the same', async () => {
    const recurrence = ['RRULE:FREQ=YEARLY;BYMONTHDAY=2;BYDAY=9MO'];
    const sent = { title: 'x', start: { date: '2026-03-02' }, recurrence };
    const answer = await world.call('POST', eventsPath(account), { body: sent });
    expectProblem(answer, 422, 'UnsupportedByProvider', 'recurrence');
    expect(JSON.stringify(answer.body)).toContain('FREQ=YEARLY;BYMONTHDAY=2;BYDAY=9MO');
  });
});

describe("an invitation on another person's calendar", () => {
  const BOB = 'bob@gmail.example';
  let shared: Connected;
  beforeAll(async () => {
    const bob = await world.connect('google', BOB);
    world.sandbox.google.shareCalendar({
      ownerEmail: BOB,
      calendarId: bob.calendarId,
      withEmail: account.email,
      role: 'writer',
    });
    shared = { ...account, calendarId: bob.calendarId };
  });

  it.each(['needsAction', 'accepted', 'declined'])('is not answered for them: they have said %s', async (theirs) => {
    const { id } = await world.atProvider('google', BOB, 'POST', '/calendars/primary/events/import', {
      iCalUID: `${theirs}@else.example`,
      summary: 'Board',
      organizer: { email: 'boss@else.example' },
      start: { dateTime: '2026-03-02T09:00:00Z' },
      end: { dateTime: '2026-03-02T10:00:00Z' },
      attendees: [{ email: BOB, responseStatus: theirs }, { email: account.email }],
    });
    clock.pass(MINUTE_MS);
    const path = eventsPath(shared, id);
    const event = body(await world.call('GET', path));
    const attendees = event.attendees.map((attendee: Json) =>
      attendee.email === account.email ? { ...attendee, responseStatus: 'accepted' } : attendee,
    );
    expectProblem(await world.call('PUT', path, { body: { ...event, attendees } }), 403, 'Forbidden');
    const rsvp = { body: { responseStatus: 'tentative' } };
    expectProblem(await world.call('POST', `${path}/rsvp`, rsvp), 403, 'Forbidden');
    const after = await world.atProvider('google', BOB, 'GET', `/calendars/primary/events/${id}`);
    expect(after.attendees.map(({ responseStatus }: Json) => responseStatus)).toEqual([theirs, 'needsAction']);
  });
});

describe('a series of which a copy would lack something', () => {
  const times = {
    start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Europe/London' },
    end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'Europe/London' },
  };
  const plant = (event: Json) => {
    const organizer = { email: account.email, self: true };
    const shown = { ...times, organizer, ...event };
    world.sandbox.google.controls['plantEvent']?.({ calendarId: account.email, event: shown });
  };
  const mirrored = async () => {
    clock.pass(MINUTE_MS);
    body(await world.call('GET', eventsPath(account)));
    world.sandbox.requests.clear();
  };
  const day = (id: string, number: number) => eventsPath(account, `${id}_2026030${number}T090000Z`);
  const expectRefusal = async (path: string, sent: Json, field: string) => {
    expectProblem(await world.call('PUT', path, { body: sent }), 422, 'UnsupportedByProvider', field);
    expect(world.sandbox.requests.list().filter(({ method }) => method !== 'GET')).toEqual([]);
  };
  const later = { start: { dateTime: '2026-03-02T11:00:00Z' }, end: { dateTime: '2026-03-02T12:00:00Z' } };

  it('is not split where Google shows only part of the guest list', async () => {
    const guests = { attendeesOmitted: true, attendees: [{ email: account.email, self: true }] };
    plant({ id: 'crowd', summary: 'All hands', ...guests, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] });
    await mirrored();
    await expectRefusal(`${day('crowd', 4)}?scope=following`, { title: 'Renamed' }, 'attendees');
    // An end copies nothing, and a move writes no guests where no occurrence has its own.
    body(await world.call('DELETE', `${day('crowd', 6)}?scope=following`));
    expect(body(await world.call('PUT', eventsPath(account, 'crowd'), { body: later })).start.dateTime).toContain(
      'T11:00',
    );
  });

  it('is not split where kalends cannot create events of its type', async () => {
    const typed = { eventType: 'workingLocation', workingLocationProperties: { type: 'homeOffice', homeOffice: {} } };
    plant({ id: 'home', summary: 'Home', ...typed, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] });
    const born = { start: { date: '2026-03-02' }, end: { date: '2026-03-03' }, eventType: 'birthday' };
    plant({ id: 'born', summary: 'Ada', ...born, recurrence: ['RRULE:FREQ=YEARLY'] });
    await mirrored();
    await expectRefusal(`${day('home', 4)}?scope=following`, { title: 'Den' }, 'eventType');
    await expectRefusal(`${eventsPath(account, 'born_20270302')}?scope=following`, { title: 'Eve' }, 'eventType');
    // New times of all create nothing.
    body(await world.call('PUT', eventsPath(account, 'home'), { body: later }));
  });

  it.each([
    'outOfOffice',
    'focusTime',
  ])('is not split where its %s declines invitations, or says more', async (eventType) => {
    const name = `${eventType}Properties`;
    const made = async (properties: Json) => {
      const sent = {
        ...times,
        summary: 'Away',
        eventType,
        [name]: properties,
        recurrence: ['RRULE:FREQ=DAILY;COUNT=6'],
      };
      return (await world.atProvider('google', account.email, 'POST', '/calendars/primary/events', sent)).id;
    };
    const declining = await made({ autoDeclineMode: 'declineAllConflictingInvitations', declineMessage: 'Away' });
    const speaking = await made({ autoDeclineMode: 'declineNone', chatStatus: 'doNotDisturb' });
    const plain = await made({ autoDeclineMode: 'declineNone', chatStatus: 'available' });
    await mirrored();
    await expectRefusal(`${day(declining, 4)}?scope=following`, { title: 'Later' }, 'eventType');
    await expectRefusal(`${day(speaking, 4)}?scope=following`, { title: 'Later' }, 'eventType');
    const { id } = body(await world.call('PUT', `${day(plain, 4)}?scope=following`, { body: { title: 'Later' } }));
    const copy = await world.atProvider('google', account.email, 'GET', `/calendars/primary/events/${id}`);
    expect(copy).toMatchObject({ eventType, [name]: { autoDeclineMode: 'declineNone' } });
    // An end, and new times, leave the properties where they are, those of a modified occurrence among them.
    body(await world.call('DELETE', `${day(declining, 6)}?scope=following`));
    body(await world.call('PUT', day(declining, 3), { body: { title: 'Abroad' } }));
    body(await world.call('PUT', eventsPath(account, declining), { body: later }));
    const { items } = await world.atProvider(
      'google',
      account.email,
      'GET',
      `/calendars/primary/events/${declining}/instances`,
    );
    expect(items.map(({ summary }: Json) => summary)).toEqual(['Away', 'Abroad', 'Away', 'Away']);
    for (const item of items) expect(item[name].declineMessage).toBe('Away');
  });

  it('is not moved away from a working location of one day', async () => {
    const at = (type: string) => ({ eventType: 'workingLocation', workingLocationProperties: { type } });
    plant({ id: 'home2', iCalUID: 'home2@google.com', ...at('homeOffice'), recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] });
    const tuesday = { start: { dateTime: '2026-03-03T09:00:00Z' }, end: { dateTime: '2026-03-03T10:00:00Z' } };
    const instance = { id: 'home2_20260303T090000Z', recurringEventId: 'home2', iCalUID: 'home2@google.com' };
    plant({ ...instance, ...tuesday, ...at('officeLocation') });
    await mirrored();
    await expectRefusal(eventsPath(account, 'home2'), later, 'eventType');
  });

  it('is not moved away from occurrences with a list of their own', async () => {
    const own = { email: account.email, self: true };
    const partly = { iCalUID: 'crowd2@google.com', summary: 'All hands', attendeesOmitted: true };
    plant({ id: 'crowd2', ...partly, attendees: [own], recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] });
    const instance = {
      id: 'crowd2_20260303T090000Z',
      recurringEventId: 'crowd2',
      attendees: [own, { email: 'x@x.test' }],
    };
    const tuesday = { start: { dateTime: '2026-03-03T09:00:00Z' }, end: { dateTime: '2026-03-03T10:00:00Z' } };
    plant({ ...partly, ...instance, ...tuesday });
    await mirrored();
    await expectRefusal(eventsPath(account, 'crowd2'), later, 'attendees');
    await expectRefusal(`${day('crowd2', 3)}?scope=following`, { title: 'Renamed' }, 'attendees');
  });
});
