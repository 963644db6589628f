import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

/* Mailboxes of Los Angeles with events of London, which is eight hours ahead. */

let world: McpWorld;
let agent: McpClient;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld('America/Los_Angeles');
  agent = await world.connect(world.handler());
  place = { accountId: world.accounts.google, calendarId: PEOPLE.google.email };
});
afterAll(() => world.close());

async function written(tool: string, input: Readonly<Record<string, unknown>>) {
  const preview = await agent.call(`preview_${tool}`, input);
  expect(preview, preview.text).toMatchObject({ isError: false });
  const done = await agent.call(tool, { ...input, previewToken: tokenOf(preview) });
  expect(done, done.text).toMatchObject({ isError: false });
  return { preview: preview.text, done: done.text };
}

async function listed(day: string, title: string) {
  const { text } = await agent.call('list_events', { accountId: place.accountId, from: day, to: day, title });
  return text;
}

const inEngine = (eventId: string) =>
  world.engine.events.get({ applicationId: world.applicationId }, place.accountId, place.calendarId, eventId);

describe('times without a zone', () => {
  it('are refused for an event that is shown in another zone than its own', async () => {
    const input = { ...place, title: 'Far', start: '2027-01-20T17:00', timeZone: 'Europe/London' };
    await written('create_event', input);
    const shown = await listed('2027-01-20', 'Far');
    expect(shown).toContain('09:00–10:00 (America/Los_Angeles');
    const eventId = idOf(shown, 'Far', 'eventId');
    for (const times of [{ start: '2027-01-20T10:00' }, { end: '2027-01-20T11:00' }]) {
      const refused = await agent.call('preview_change_event', { ...place, eventId, ...times });
      expect(refused).toMatchObject({ isError: true });
      expect(refused.text).toContain('timeZone: is needed here. The event is kept in Europe/London');
      expect(refused.text).toContain('America/Los_Angeles');
    }
    const { preview } = await written('change_event', {
      ...place,
      eventId,
      start: '2027-01-20T10:00',
      timeZone: 'America/Los_Angeles',
    });
    expect(preview).toContain('becomes Wednesday 20 January 2027, 18:00–19:00 (Europe/London');
    expect(preview).toContain(
      'in the zone that was named: Wednesday 20 January 2027, 10:00–11:00 (America/Los_Angeles',
    );
    expect(await listed('2027-01-20', 'Far')).toContain('10:00–11:00 (America/Los_Angeles');
    expect((await inEngine(eventId)).start).toEqual({
      dateTime: '2027-01-20T18:00:00+00:00',
      timeZone: 'Europe/London',
    });
    await written('change_event', { ...place, eventId, end: '2027-01-20T12:30', timeZone: 'America/Los_Angeles' });
    expect((await inEngine(eventId)).end.dateTime).toBe('2027-01-20T20:30:00+00:00');
  });

  it('need none where all zones mean the same, and none for days', async () => {
    await written('create_event', {
      ...place,
      title: 'Near',
      start: '2027-01-21T09:00',
      timeZone: 'America/Vancouver',
    });
    const eventId = idOf(await listed('2027-01-21', 'Near'), 'Near', 'eventId');
    await written('change_event', { ...place, eventId, start: '2027-01-21T10:00' });
    expect(await listed('2027-01-21', 'Near')).toContain('10:00–11:00 (America/Los_Angeles');
    await written('change_event', { ...place, eventId, start: '2027-01-22' });
    expect(await listed('2027-01-22', 'Near')).toContain('all day');
  });
});

describe('a list of calendars of several zones', () => {
  it('shows times as a change takes them: those of the primary calendar, whichever is named first', async () => {
    const caller = { applicationId: world.applicationId };
    const calendar = { name: 'Tokyo', timeZone: 'Asia/Tokyo' };
    const far = await world.engine.calendars.create(caller, place.accountId, calendar);
    const input = { accountId: place.accountId, from: '2027-01-25', to: '2027-01-25' };
    await written('create_event', { ...place, title: 'Shown', start: '2027-01-25T09:00' });
    const calendarIds = [far.id, place.calendarId];
    for (const name of ['list_events', 'get_free_busy']) {
      const both = await agent.call(name, { ...input, calendarIds });
      expect(both.text).toContain('Monday 25 January 2027, 09:00–10:00 (America/Los_Angeles');
      const alone = await agent.call(name, { ...input, calendarIds: [far.id] });
      expect(alone.text).toContain('From Monday 25 January 2027, 00:00 (Asia/Tokyo');
    }
    const eventId = idOf(await listed('2027-01-25', 'Shown'), 'Shown', 'eventId');
    await written('change_event', { ...place, eventId, start: '2027-01-25T10:00' });
    const after = await agent.call('list_events', { ...input, calendarIds });
    expect(after.text).toContain('Monday 25 January 2027, 10:00–11:00 (America/Los_Angeles');
    const own = await world.engine.calendars.create(caller, place.accountId, calendar);
    const shared = await agent.call('list_events', { ...input, calendarIds: [far.id, own.id] });
    expect(shared.text).toContain('From Monday 25 January 2027, 00:00 (Asia/Tokyo');
  });
});

describe('a series of another zone', () => {
  it('keeps its zone when it is moved by times of the zone in which it is shown', async () => {
    const rule = ['RRULE:FREQ=WEEKLY;COUNT=8'];
    await written('create_event', {
      ...place,
      title: 'Stand-up',
      start: '2027-02-15T17:00',
      timeZone: 'Europe/London',
      recurrence: rule,
    });
    const eventId = idOf(await listed('2027-03-15', 'Stand-up'), 'Stand-up', 'eventId');
    const seriesId = idOf(await listed('2027-03-15', 'Stand-up'), 'Stand-up', 'seriesId');
    // Los Angeles has turned its clocks by then, London has not.
    const input = { ...place, eventId, start: '2027-03-15T11:00', timeZone: 'America/Los_Angeles' };
    const { preview } = await written('change_event', { ...input, scope: 'all' });
    expect(preview).toContain('at 18:00 (Europe/London)');
    expect((await inEngine(seriesId)).start).toEqual({
      dateTime: '2027-02-15T18:00:00+00:00',
      timeZone: 'Europe/London',
    });
    const now = idOf(await listed('2027-03-15', 'Stand-up'), 'Stand-up', 'eventId');
    const moved = { ...place, eventId: now, scope: 'all', start: '2027-03-15T09:00', timeZone: 'America/Los_Angeles' };
    await written('change_event', { ...moved, recurrence: rule });
    expect((await inEngine(seriesId)).start.timeZone).toBe('America/Los_Angeles');
  });
});

describe('a slot that was found in another zone', () => {
  const lineOf = (text: string, name: string) => new RegExp(`^  ${name}: (\\S+)$`, 'm').exec(text)?.[1];

  it('is held as it was found by copying its lines, and moved only by times of a named zone', async () => {
    const participants = [{ accountId: place.accountId }];
    const found = await agent.call('find_meeting_times', {
      participants,
      from: '2027-03-02T15:00',
      to: '2027-03-02',
      durationMinutes: 60,
      timeZone: 'Europe/London',
    });
    const slot = Object.fromEntries(['start', 'end', 'timeZone'].map((name) => [name, lineOf(found.text, name)]));
    expect(slot).toEqual({ start: '2027-03-02T17:00', end: '2027-03-02T18:00', timeZone: 'Europe/London' });
    const explained = await agent.call('explain_meeting_time', {
      participants,
      durationMinutes: 60,
      start: slot['start'],
      timeZone: slot['timeZone'],
    });
    expect(explained.text).toContain('They can meet then');
    expect(lineOf(explained.text, 'end')).toBe(slot['end']);
    const held = await agent.call('hold_slot', { participants, ...slot });
    expect(held.text).toContain('17:00–18:00 (Europe/London');
    const input = { holdId: idOf(held.text.replace(/^HELD/, '- "HELD"'), 'HELD', 'holdId'), title: 'Advice' };
    const { done } = await written('confirm_hold', input);
    const bookingToken = idOf(done.replace(/^DONE.\nBooked:\n/, ''), 'Advice', 'bookingToken');
    expect((await agent.call('get_booking', { bookingToken })).text).toContain('17:00–18:00 (Europe/London');
    const moved = { bookingToken, start: '2027-03-03T10:00' };
    const refused = await agent.call('preview_move_booking', moved);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('timeZone: is needed here') });
    const named = await agent.call('preview_move_booking', { ...moved, timeZone: 'America/Los_Angeles' });
    expect(named.text).toContain('10:00–11:00 (America/Los_Angeles');
  });
});
