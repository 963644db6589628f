import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

let world: McpWorld;
let agent: McpClient;
let caller: { readonly applicationId: string };
let both: readonly { readonly accountId: string }[];
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  caller = { applicationId: world.applicationId };
  both = [{ accountId: world.accounts.google }, { accountId: world.accounts.microsoft }];
});
afterAll(() => world.close());

const written = () =>
  world.sandbox.requests.list().filter(({ method, path }) => method !== 'GET' && /events/.test(path)).length;
const hold = (start: string, more: object = {}) => agent.call('hold_slot', { participants: both, start, ...more });
const holdIdOf = (text: string): string => JSON.parse(/holdId: (".*")/.exec(text)?.[1] ?? '""');
const bookingTokenOf = (text: string): string => JSON.parse(/bookingToken: (".*")/.exec(text)?.[1] ?? '""');
const eventsOn = async (day: string) => {
  const { data } = await world.engine.events.list(caller, world.accounts.google, PEOPLE.google.email, {
    startDateTime: `${day}T00:00:00Z`,
    endDateTime: `${day}T23:59:59Z`,
  });
  return data.map(({ title, start }) => `${title} ${start.dateTime.slice(11, 16)}`);
};
async function committed(name: string, input: Readonly<Record<string, unknown>>) {
  const preview = await agent.call(`preview_${name}`, input);
  expect(preview, preview.text).toMatchObject({ isError: false });
  return { preview, done: await agent.call(name, { ...input, previewToken: tokenOf(preview) }) };
}
async function booked(start: string, title: string): Promise<string> {
  const holdId = holdIdOf((await hold(start)).text);
  const { done } = await committed('confirm_hold', { holdId, title, notifyAttendees: 'none' });
  expect(done, done.text).toMatchObject({ isError: false });
  return bookingTokenOf(done.text);
}

describe('a held slot', () => {
  it('is taken without a write, and frees itself', async () => {
    const before = written();
    const held = await hold('2027-03-02T09:00', { startWeekday: 'Tuesday', minutes: 2 });
    expect(held.text).toContain('HELD until Monday 4 January 2027, 08:0');
    expect(held.text).toContain('when: Tuesday 2 March 2027, 09:00–09:30 (Europe/London, UTC+00:00)');
    const taken = await hold('2027-03-02T09:15');
    expect(taken).toMatchObject({ isError: true, text: expect.stringContaining('SlotTaken') });
    expect(taken.text).toContain('- Tuesday 2 March 2027, 09:30–10:00 (Europe/London, UTC+00:00)');
    world.clock.advance(121_000);
    const again = await hold('2027-03-02T09:15');
    expect(again, again.text).toMatchObject({ isError: false });
    const late = await agent.call('preview_confirm_hold', { holdId: holdIdOf(held.text), title: 'Late' });
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining('Call hold_slot again') });
    expect(await agent.call('release_hold', { holdId: holdIdOf(again.text) })).toMatchObject({
      text: 'RELEASED. The slot is free again.',
    });
    expect((await hold('2027-03-02T09:15')).isError).toBe(false);
    expect(written()).toBe(before);
  });

  it('is no slot of another application, of a day, of another weekday or of an unknown calendar', async () => {
    const other = await world.engine.applications.create({ name: 'Other', redirectUrls: [] });
    const { key } = await world.engine.apiKeys.create(other.id, { name: 'Key', expiresAt: null });
    const stranger = await world.connect(world.handler(), key);
    const holdId = holdIdOf((await hold('2027-03-03T09:00')).text);
    expect((await stranger.call('hold_slot', { participants: both, start: '2027-03-03T12:00' })).text).toContain(
      'NotFound',
    );
    for (const [name, input] of [
      ['release_hold', { holdId }],
      ['preview_confirm_hold', { holdId, title: 'X' }],
    ] as const) {
      expect((await stranger.call(name, input)).text).toContain('NotFound');
    }
    const refused = async (input: object, words: string) =>
      expect(await hold('2027-03-03T11:00', input)).toMatchObject({
        isError: true,
        text: expect.stringContaining(words),
      });
    await refused({ start: '2027-03-03' }, 'must have a time');
    await refused({ end: '2027-03-03T10:00' }, 'end: must be after start');
    await refused({ startWeekday: 'Monday' }, 'start is a Wednesday, not a Monday');
    await refused({ minutes: 11 }, 'minutes');
    await refused({ participants: [...both, ...both] }, 'must not name an account twice');
    await refused({ participants: [{ ...both[0], calendarIds: ['x'] }] }, 'Call list_calendars');
    expect(await hold('2027-03-03T09:00Z')).toMatchObject({ text: expect.stringContaining('without Z') });
    expect(await hold('2026-03-03T09:00')).toMatchObject({ text: expect.stringContaining('must not be in the past') });
  });
});

describe('a booking', () => {
  it('is previewed with who is invited, written once, and read by its token', async () => {
    const before = written();
    const holdId = holdIdOf((await hold('2027-03-04T09:00')).text);
    const input = { holdId, title: 'Advice', attendees: ['guest@elsewhere.example'] };
    const preview = await agent.call('preview_confirm_hold', input);
    expect(preview.text).toMatch(/Book "Advice": write an event to the calendar ".*" of "ada@gmail\.example"\./);
    expect(preview.text).toContain('  when: Thursday 4 March 2027, 09:00–09:30 (Europe/London, UTC+00:00)');
    expect(preview.text).toContain('  invited as participants of the hold: "grace@outlook.example"');
    expect(preview.text).toContain(
      'Mail: the provider tells the attendees by an invitation: "guest@elsewhere.example", "grace@outlook.example".',
    );
    expect(written()).toBe(before);
    const previewToken = tokenOf(preview);
    const other = await agent.call('confirm_hold', { ...input, title: 'Spam', previewToken });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('does not belong to these arguments') });
    const done = await agent.call('confirm_hold', { ...input, previewToken });
    expect(done, done.text).toMatchObject({ isError: false });
    expect(await eventsOn('2027-03-04')).toEqual(['Advice 09:00']);
    expect(written()).toBeGreaterThan(before);
    const again = await agent.call('confirm_hold', { ...input, previewToken });
    expect(again).toMatchObject({ isError: true, text: expect.stringContaining('was used before') });

    const bookingToken = bookingTokenOf(done.text);
    const read = await agent.call('get_booking', { bookingToken });
    expect(read.text).toContain('- "Advice"\n  when: Thursday 4 March 2027, 09:00–09:30');
    expect(idOf(read.text, 'Advice', 'eventId')).toBe(idOf(done.text, 'Advice', 'eventId'));
    expect((await agent.call('get_booking', { bookingToken: `${bookingToken.slice(0, -1)}_` })).isError).toBe(true);
  });

  it('is written once by processes that share their previews, and its token is answered to each', async () => {
    const handlers = [1, 2].map(() => world.handler({ previewKey: new Uint8Array(32).fill(3) }));
    const [one, two] = await Promise.all(handlers.map((handler) => world.connect(handler)));
    if (one === undefined || two === undefined) throw new Error('no client');
    const holdId = holdIdOf((await hold('2027-03-05T09:00')).text);
    const input = { holdId, title: 'Twice', notifyAttendees: 'none' };
    const previewToken = tokenOf(await one.call('preview_confirm_hold', input));
    const answers = await Promise.all([one, two].map((by) => by.call('confirm_hold', { ...input, previewToken })));
    expect(answers.some(({ isError }) => !isError)).toBe(true);
    expect(await eventsOn('2027-03-05')).toEqual(['Twice 09:00']);
    const tokens = answers.filter(({ isError }) => !isError).map(({ text }) => bookingTokenOf(text));
    expect(new Set(tokens).size).toBe(1);
  });

  it('invites each address once, and the organizer not at all', async () => {
    const { sandbox, engine, url, accounts } = world;
    async function connected(email: string) {
      sandbox.caldav.addMailbox({ email, name: 'Twice', timeZone: 'Europe/London' });
      const password = sandbox.caldav.addAppPassword({ email });
      const credentials = { kind: 'password', serverUrl: `${url}/caldav/`, username: email, password } as const;
      const { account } = await engine.accounts.upsert(caller, { email, providerType: 'CALDAV', credentials });
      return { accountId: account.id };
    }
    const [same, other] = [await connected(PEOPLE.microsoft.email), await connected(PEOPLE.google.email)];
    const participants = [...both, same, other];
    await expect.poll(async () => (await hold('2027-03-08T09:00', { participants })).isError).toBe(false);
    const { text } = await hold('2027-03-08T10:00', { participants });
    const { preview, done } = await committed('confirm_hold', { holdId: holdIdOf(text), title: 'Once' });
    expect(preview.text).toContain('  invited as participants of the hold: "grace@outlook.example"\n');
    expect(preview.text).toContain('Mail: the provider tells the attendees by an invitation: "grace@outlook.example".');
    expect(done, done.text).toMatchObject({ isError: false });
    const eventId = idOf(done.text, 'Once', 'eventId');
    const { attendees } = await engine.events.get(caller, accounts.google, PEOPLE.google.email, eventId);
    expect(attendees.map(({ email }) => email)).toEqual([PEOPLE.microsoft.email]);
    const cased = await hold('2027-03-08T11:00', { participants });
    const listed = { holdId: holdIdOf(cased.text), title: 'Listed', attendees: ['GRACE@outlook.example'] };
    expect((await committed('confirm_hold', listed)).done).toMatchObject({ isError: false });
  });

  it('is refused where the slot was taken since, and writes nothing', async () => {
    const holdId = holdIdOf((await hold('2027-03-09T09:00')).text);
    const input = { holdId, title: 'Too late' };
    const previewToken = tokenOf(await agent.call('preview_confirm_hold', input));
    await world.engine.events.create(caller, world.accounts.google, PEOPLE.google.email, {
      title: 'Dentist',
      start: { dateTime: '2027-03-09T09:00:00', timeZone: 'Europe/London' },
      end: { dateTime: '2027-03-09T10:00:00', timeZone: 'Europe/London' },
    });
    const refused = await agent.call('confirm_hold', { ...input, previewToken });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('SlotTaken') });
    expect(refused.text).toContain('- Tuesday 9 March 2027, 10:00–10:30');
    expect(await eventsOn('2027-03-09')).toEqual(['Dentist 09:00']);
  });

  it('moves with a preview, unless its event has changed since', async () => {
    const bookingToken = await booked('2027-03-10T09:00', 'Moving');
    const input = { bookingToken, start: '2027-03-10T14:00', startWeekday: 'Wednesday' };
    const { preview, done } = await committed('move_booking', input);
    expect(preview.text).toContain(
      '  when: Wednesday 10 March 2027, 09:00–09:30 (Europe/London, UTC+00:00) becomes Wednesday 10 March 2027, 14:00–14:30',
    );
    expect(preview.text).toContain('about its new time: "grace@outlook.example"');
    expect(done, done.text).toMatchObject({ isError: false });
    expect(await eventsOn('2027-03-10')).toEqual(['Moving 14:00']);

    const stale = await agent.call('preview_move_booking', { ...input, start: '2027-03-10T16:00' });
    const eventId = idOf((await agent.call('get_booking', { bookingToken })).text, 'Moving', 'eventId');
    await world.engine.events.update(caller, world.accounts.google, PEOPLE.google.email, eventId, { location: 'Hall' });
    const refused = await agent.call('move_booking', {
      ...input,
      start: '2027-03-10T16:00',
      previewToken: tokenOf(stale),
    });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('changed since the preview') });
    expect(await eventsOn('2027-03-10')).toEqual(['Moving 14:00']);
  });

  it('is cancelled with a preview, also when a person has deleted its event', async () => {
    const bookingToken = await booked('2027-03-11T09:00', 'Ending');
    const { preview, done } = await committed('cancel_booking', { bookingToken, notifyAttendees: 'none' });
    expect(preview.text).toContain('Cancel the booking "Ending" and delete its event.');
    expect(preview.text).toContain('Mail: none. Attendees are not told: "grace@outlook.example".');
    expect(done.text).toContain('Cancelled the booking of Thursday 11 March 2027, 09:00–09:30');
    expect(await eventsOn('2027-03-11')).toEqual([]);
    expect((await agent.call('get_booking', { bookingToken })).text).toContain('NotFound');

    const orphan = await booked('2027-03-12T09:00', 'Deleted');
    const eventId = idOf((await agent.call('get_booking', { bookingToken: orphan })).text, 'Deleted', 'eventId');
    await world.engine.events.delete(caller, world.accounts.google, PEOPLE.google.email, eventId);
    expect((await agent.call('get_booking', { bookingToken: orphan })).text).toContain('its event has been deleted');
    const move = { bookingToken: orphan, start: '2027-03-12T10:00' };
    expect((await agent.call('preview_move_booking', move)).text).toContain('has been deleted. Cancel it.');
    const end = await committed('cancel_booking', { bookingToken: orphan });
    expect(end.preview.text).toContain('Its event has been deleted already.');
    expect(end.done.isError).toBe(false);
  });
});
