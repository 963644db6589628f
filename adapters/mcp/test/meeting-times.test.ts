import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, PEOPLE, type PersonAt } from './mcp-world.ts';

let world: McpWorld;
let agent: McpClient;
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  const london = (dateTime: string) => ({ dateTime, timeZone: 'Europe/London' });
  const busy = async (person: PersonAt, from: string, to: string, more: object = {}) => {
    const caller = { applicationId: world.applicationId };
    const { data } = await world.engine.calendars.list(caller, world.accounts[person], {});
    await world.engine.events.create(caller, world.accounts[person], data[0]?.id ?? '', {
      title: 'A secret title',
      start: london(from),
      end: london(to),
      ...more,
    });
  };
  await busy('google', '2027-03-02T09:00:00', '2027-03-02T12:00:00');
  await busy('microsoft', '2027-03-02T13:00:00', '2027-03-02T14:30:00');
  await busy('caldav', '2027-03-02T14:00:00', '2027-03-02T16:00:00');
  // The stand-up crosses the change of the clocks on 28 March.
  await busy('google', '2027-03-22T10:00:00', '2027-03-22T10:30:00', { recurrence: ['RRULE:FREQ=DAILY;COUNT=10'] });
});
afterAll(() => world.close());

const all = (...optional: readonly PersonAt[]) =>
  (Object.keys(PEOPLE) as PersonAt[]).map((person) => ({
    accountId: world.accounts[person],
    ...(optional.includes(person) && { optional: true }),
  }));
const find = (input: object) =>
  agent.call('find_meeting_times', { participants: all(), durationMinutes: 30, timeZone: 'Europe/London', ...input });
const explain = (input: object) =>
  agent.call('explain_meeting_time', { participants: all(), durationMinutes: 30, timeZone: 'Europe/London', ...input });
const starts = (text: string) => [...text.matchAll(/^ {2}start: (.*)$/gm)].map(([, start]) => start);
const TUESDAY = { from: '2027-03-02', to: '2027-03-02' };

describe('find_meeting_times', () => {
  it('answers slots with weekday and zone, within working hours, ranked with the reason', async () => {
    const { text } = await find({ ...TUESDAY, slotsPerDay: 96 });
    expect(starts(text)).toEqual(['2027-03-02T12:00', '2027-03-02T12:30', '2027-03-02T16:00', '2027-03-02T16:30']);
    expect(text).toContain('- Tuesday 2 March 2027, 12:00–12:30 (Europe/London, UTC+00:00)\n');
    expect(text).toContain('  rank 1: all required participants are free\n');
    expect(text).toContain('on Monday, Tuesday, Wednesday, Thursday, Friday, 09:00–17:00');
    expect(text).not.toContain('secret');
  });

  it('puts slots that lack fewer optional participants first, and names who is missing', async () => {
    const { text } = await find({ ...TUESDAY, participants: all('caldav'), slotsPerDay: 96 });
    const expected = ['12:00', '12:30', '16:00', '16:30', '14:30', '15:00', '15:30'];
    expect(starts(text)).toEqual(expected.map((clock) => `2027-03-02T${clock}`));
    expect(text).toContain('  rank 5: all required participants are free; optional participants free: 0 of 1\n');
    expect(text.match(/not free: "joan@dav\.example"/g)).toHaveLength(3);
  });

  it('shows few slots of each day, and none on a weekend unless any hour counts', async () => {
    const week = { from: '2027-03-01', to: '2027-03-07' };
    const { text } = await find(week);
    const days = starts(text).map((start) => start?.slice(8, 10));
    expect(days).toEqual(['01', '02', '03', '04', '05'].flatMap((day) => [day, day, day]));
    const { text: anyHour } = await find({ ...week, anyHour: true, slotsPerDay: 1 });
    expect(starts(anyHour)).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `2027-03-0${day}T00:00`));
  });

  it("keeps working hours by each participant's own zone across the change of the clocks", async () => {
    const hours = { days: ['Monday'], start: '10:00', end: '11:00' };
    const window = { from: '2027-03-22', to: '2027-03-29', timeZone: 'America/New_York' };
    const { text } = await find({ ...window, workingHours: hours });
    // New York is four hours behind London until the 28th, when London's clocks change.
    expect(starts(text)).toEqual(['2027-03-22T06:30', '2027-03-29T05:30']);
  });

  it('counts a hold as busy, and comes in pages', async () => {
    const caller = { applicationId: world.applicationId };
    const hold = await world.engine.holds.create(caller, {
      participants: [{ endUserAccountId: world.accounts.google, calendarIds: [PEOPLE.google.email] }],
      startDateTime: '2027-03-02T12:00:00',
      endDateTime: '2027-03-02T13:00:00',
      timeZone: 'Europe/London',
    });
    expect(starts((await find(TUESDAY)).text)).toEqual(['2027-03-02T16:00', '2027-03-02T16:30']);
    await world.engine.holds.delete(caller, hold.id);

    const small = await world.connect(world.handler({ tokenBudget: 300 }));
    const input = {
      participants: all(),
      durationMinutes: 30,
      timeZone: 'Europe/London',
      from: '2027-03-01',
      to: '2027-03-12',
    };
    const whole = starts((await find({ from: '2027-03-01', to: '2027-03-12' })).text);
    const paged: unknown[] = [];
    let pageToken: string | undefined;
    do {
      const { text } = await small.call('find_meeting_times', { ...input, ...(pageToken && { pageToken }) });
      paged.push(...starts(text));
      const literal = /repeat the call with pageToken (".*")\.$/m.exec(text)?.[1];
      pageToken = literal === undefined ? undefined : JSON.parse(literal);
    } while (pageToken !== undefined);
    expect(paged).toEqual(whole);
    expect(whole).toHaveLength(30);
  });

  it('says what to do next about a question that cannot be answered', async () => {
    const refused = async (input: object, words: string) =>
      expect(await find({ ...TUESDAY, ...input })).toMatchObject({
        isError: true,
        text: expect.stringContaining(words),
      });
    await refused({ participants: [...all(), ...all()] }, 'participants: must name each account once');
    await refused({ participants: [{ accountId: 'acc_none' }] }, 'Call list_accounts');
    await refused({ to: '2027-06-02' }, 'to: must be at most 62 days later');
    await refused({ anyHour: true, workingHours: { days: ['Monday'], start: '09:00', end: '10:00' } }, 'anyHour:');
    await refused({ workingHours: { days: ['Monday'], start: '9', end: '10:00' } }, 'must be a time from 00:00');
    const none = await find({ ...TUESDAY, durationMinutes: 240 });
    expect(none.text).toContain('No slot is free for all of them.');
  });
});

describe('explain_meeting_time', () => {
  it('says for each participant what stands against a time', async () => {
    const { text } = await explain({ start: '2027-03-02T14:00', participants: all('caldav') });
    expect(text).toContain('They cannot meet then.');
    expect(text).toContain('- "ada@gmail.example": free\n');
    expect(text).toContain(
      '- "grace@outlook.example": not free\n  busy Tuesday 2 March 2027, 13:00–14:30 (Europe/London, UTC+00:00)',
    );
    expect(text).toContain('- "joan@dav.example", optional: not free\n  busy Tuesday 2 March 2027, 14:00–16:00');
    const weekend = await explain({ start: '2027-03-06T18:00', startWeekday: 'Saturday' });
    expect(weekend.text).toContain(
      '09:00–17:00 (Europe/London); the slot is there Saturday 6 March 2027, 18:00 to 18:30',
    );
    expect((await explain({ start: '2026-03-06T10:00' })).text).toContain('that is in the past');
    expect((await explain({ start: '2027-03-02' })).text).toContain('start: must have a time');
  });

  it('agrees with find_meeting_times at each step of a day', async () => {
    const offered = new Set(starts((await find({ ...TUESDAY, slotsPerDay: 96, anyHour: true })).text));
    expect(offered.size).toBeGreaterThan(10);
    for (let step = 0; step < 48; step += 1) {
      const start = `2027-03-02T${String(Math.floor(step / 2)).padStart(2, '0')}:${step % 2 === 0 ? '00' : '30'}`;
      const { text } = await explain({ start, anyHour: true });
      expect(text.includes('They can meet then'), start).toBe(offered.has(start));
    }
  });
});
