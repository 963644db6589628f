import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE, type PersonAt, tokenOf } from './mcp-world.ts';

let world: McpWorld;
let agent: McpClient;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  place = { accountId: world.accounts.google, calendarId: PEOPLE.google.email };
});
afterAll(() => world.close());

async function previewed(tool: string, input: Readonly<Record<string, unknown>>, by = agent): Promise<string> {
  return tokenOf(await by.call(`preview_${tool}`, input));
}
async function created(title: string, more: object = {}): Promise<string> {
  const input = { ...place, title, start: '2027-03-02T12:00', ...more };
  const answer = await agent.call('create_event', { ...input, previewToken: await previewed('create_event', input) });
  return idOf(answer.text, title, 'eventId');
}
const titles = async () => {
  const { data } = await world.engine.events.list({ applicationId: world.applicationId }, ...calendar(), {});
  return data.map(({ title }) => title).sort();
};
const calendar = (): [string, string] => [place.accountId, place.calendarId];

describe('a token', () => {
  it('is refused when a byte of it or of an argument is another one', async () => {
    const eventId = await created('Bound');
    const input = { ...place, eventId, title: 'Bound too', notifyAttendees: 'none' };
    const token = await previewed('change_event', input);
    const before = await titles();
    const flipped = (text: string, at: number, by: number) => {
      const code = text.charCodeAt(at);
      const other = 33 + ((code - 33 + by) % 94);
      return `${text.slice(0, at)}${String.fromCharCode(other)}${text.slice(at + 1)}`;
    };
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.integer({ min: 1, max: 93 }), async (at, by) => {
        const answer = await agent.call('change_event', { ...input, previewToken: flipped(token, at, by) });
        expect(answer.isError).toBe(true);
      }),
      { numRuns: 100 },
    );
    const texts = ['title', 'accountId', 'calendarId', 'eventId'] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), fc.nat(), fc.integer({ min: 1, max: 93 }), async (field, at, by) => {
        const changed = { ...input, [field]: flipped(input[field], at % input[field].length, by) };
        const answer = await agent.call('change_event', { ...changed, previewToken: token });
        expect(answer.isError).toBe(true);
      }),
      { numRuns: 100 },
    );
    for (const more of [
      { location: 'Room' },
      { notifyAttendees: 'all' },
      { scope: 'this' },
      { start: '2027-03-02T13:00' },
    ]) {
      const answer = await agent.call('change_event', { ...input, ...more, previewToken: token });
      expect(answer, JSON.stringify(more)).toMatchObject({ isError: true });
      expect(answer.text).toContain('Nothing was written');
    }
    expect(await titles()).toEqual(before);
    const done = await agent.call('change_event', { previewToken: token, ...input });
    expect(done).toMatchObject({ isError: false });
    expect(await titles()).toContain('Bound too');
  });

  it('is refused for another tool, key, application and server', async () => {
    const eventId = await created('Mine');
    const input = { ...place, eventId };
    const token = await previewed('cancel_event', input);
    expect(await agent.call('change_event', { ...input, title: 'X', previewToken: token })).toMatchObject({
      isError: true,
    });

    const handler = world.handler({ previewKey: new Uint8Array(32) });
    const mine = await world.connect(handler);
    const ofHandler = await previewed('cancel_event', input, mine);
    const { key } = await world.engine.apiKeys.create(world.applicationId, { name: 'Other', expiresAt: null });
    const other = await world.connect(handler, key);
    expect(await other.call('cancel_event', { ...input, previewToken: ofHandler })).toMatchObject({ isError: true });
    expect(await agent.call('cancel_event', { ...input, previewToken: ofHandler })).toMatchObject({ isError: true });

    const stranger = await world.engine.applications.create({ name: 'Stranger', redirectUrls: [] });
    const strange = await world.engine.apiKeys.create(stranger.id, { name: 'Key', expiresAt: null });
    const foreign = await world.connect(handler, strange.key);
    const answer = await foreign.call('cancel_event', { ...input, previewToken: ofHandler });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain('NotFound');
    expect(await titles()).toContain('Mine');
    // A process with the same key of previews is another one behind the same address.
    const twin = await world.connect(world.handler({ previewKey: new Uint8Array(32) }));
    expect(await twin.call('cancel_event', { ...input, previewToken: ofHandler })).toMatchObject({ isError: false });
  });

  it('writes once, in every process', async () => {
    const handlers = [1, 2].map(() => world.handler({ previewKey: new Uint8Array(32).fill(7) }));
    const [one, two] = await Promise.all(handlers.map((handler) => world.connect(handler)));
    if (one === undefined || two === undefined) throw new Error('no client');
    const input = { ...place, title: 'Once', start: '2027-03-02T12:00' };
    const previewToken = await previewed('create_event', input, one);
    const answers = await Promise.all(
      [one, one, two, two].map((by) => by.call('create_event', { ...input, previewToken })),
    );
    expect(answers.some(({ isError }) => !isError)).toBe(true);
    expect((await titles()).filter((title) => title === 'Once')).toHaveLength(1);
    const again = await one.call('create_event', { ...input, previewToken });
    expect(again).toMatchObject({ isError: true, text: expect.stringContaining('was used before') });
  });

  it('expires', async () => {
    const input = { ...place, title: 'Late', start: '2027-03-02T12:00' };
    const previewToken = await previewed('create_event', input);
    world.clock.advance(600_000);
    const answer = await agent.call('create_event', { ...input, previewToken });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('has expired') });
    expect(await titles()).not.toContain('Late');
  });

  it('is given back by a write that fails, and is refused when the event or its series has changed since', async () => {
    const eventId = await created('Series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    const list = await agent.call('list_events', {
      accountId: place.accountId,
      from: '2027-03-04',
      to: '2027-03-04',
      title: 'Series',
    });
    const occurrence = idOf(list.text, 'Series', 'eventId');
    const caller = { applicationId: world.applicationId };
    const input = { ...place, eventId: occurrence, scope: 'following', title: 'New' };
    const previewToken = await previewed('change_event', input);
    await world.engine.events.update(caller, ...calendar(), eventId, { location: 'Elsewhere' });
    const answer = await agent.call('change_event', { ...input, previewToken });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('changed since the preview') });
    expect(await titles()).not.toContain('New');
    const next = await previewed('change_event', input);
    expect(await agent.call('change_event', { ...input, previewToken: next })).toMatchObject({ isError: false });
    expect(await titles()).toContain('New');
  });
});

describe('scope', () => {
  it('is asked for where an event repeats', async () => {
    await created('Choir', { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'] });
    const list = await agent.call('list_events', {
      accountId: place.accountId,
      from: '2027-03-09',
      to: '2027-03-09',
      title: 'Choir',
    });
    const one = { ...place, eventId: idOf(list.text, 'Choir', 'eventId') };
    const series = { ...place, eventId: idOf(list.text, 'Choir', 'seriesId') };
    const question = await agent.call('preview_cancel_event', one);
    expect(question).toMatchObject({ isError: true, text: expect.stringContaining('Ask the person which is meant') });
    expect(question.text).toContain('only Tuesday 9 March 2027, 12:00–13:00');
    for (const scope of [undefined, 'this', 'following']) {
      const answer = await agent.call('preview_cancel_event', { ...series, ...(scope && { scope }) });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('list_occurrences') });
    }
    expect(await agent.call('preview_cancel_event', { ...series, scope: 'all' })).toMatchObject({ isError: false });
  });
});

describe('mail', () => {
  it.each([
    ['google', 'Mail: none. Attendees are not told: "guest@elsewhere.example".'],
    // The write would be refused.
    ['caldav', 'UnsupportedByProvider: "a CalDAV server decides alone whether guests get mail"'],
  ] as [PersonAt, string][])('is told of by name, at %s', async (person, words) => {
    const accountId = world.accounts[person];
    const { data } = await world.engine.calendars.list({ applicationId: world.applicationId }, accountId, {});
    const input = {
      accountId,
      calendarId: data[0]?.id,
      title: 'Review',
      start: '2027-04-01T12:00',
      attendees: ['guest@elsewhere.example'],
    };
    const preview = await agent.call('preview_create_event', input);
    expect(preview.text).toContain(
      'Mail: the provider tells the attendees by an invitation: "guest@elsewhere.example".',
    );
    const silent = await agent.call('preview_create_event', { ...input, notifyAttendees: 'none' });
    expect(silent.text).toContain(words);
  });
});

describe('times', () => {
  it('are refused with an offset, on another weekday, and out of order', async () => {
    const input = { ...place, title: 'X', start: '2027-03-02T12:00' };
    const refused = async (more: object, words: string) => {
      const answer = await agent.call('preview_create_event', { ...input, ...more });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(words) });
    };
    await refused({ start: '2027-03-02T12:00Z' }, 'without Z or an offset');
    await refused({ start: '2027-03-02T12:00+02:00' }, 'without Z or an offset');
    await refused({ start: 'tomorrow' }, 'start: must be like');
    await refused({ startWeekday: 'Monday' }, 'start is a Tuesday, not a Monday');
    await refused({ end: '2027-03-02T11:00' }, 'end: must be after start');
    await refused({ end: '2027-03-03' }, 'end: must be a day where start is a day');
    await refused({ timeZone: 'Mars/Base' }, 'timeZone: must be');
    await refused({ start: '2027-02-30T10:00' }, 'start: there is no such day as 2027-02-30.');
    await refused({ recurrence: ['RRULE:FREQ=SOMETIMES'] }, 'recurrence');
    await refused({ unknown: 1 }, 'unknown');
  });
});

describe('a change of attendees', () => {
  it.each(['following', 'all'])('is refused with scope %s at an occurrence that has other attendees', async (scope) => {
    const title = `Guests ${scope}`;
    await created(title, { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], attendees: ['bob@x.example'] });
    const on = async (day: string) => {
      const list = await agent.call('list_events', { accountId: place.accountId, from: day, to: day, title });
      return { ...place, eventId: idOf(list.text, title, 'eventId') };
    };
    const one = { ...(await on('2027-03-04')), scope: 'this', addAttendees: ['carol@x.example'] };
    const done = await agent.call('change_event', { ...one, previewToken: await previewed('change_event', one) });
    expect(done, done.text).toMatchObject({ isError: false });
    for (const change of [{ addAttendees: ['dave@x.example'] }, { removeAttendees: ['carol@x.example'] }]) {
      const answer = await agent.call('preview_change_event', { ...place, eventId: one.eventId, scope, ...change });
      expect(answer).toMatchObject({
        isError: true,
        text: expect.stringContaining('other attendees than its series'),
      });
    }

    const input = { ...(await on('2027-03-05')), scope, addAttendees: ['dave@x.example'] };
    const written = await agent.call('change_event', {
      ...input,
      previewToken: await previewed('change_event', input),
    });
    expect(written, written.text).toMatchObject({ isError: false });
    const { data } = await world.engine.events.list({ applicationId: world.applicationId }, ...calendar(), {
      startDateTime: '2027-03-05T00:00:00Z',
      endDateTime: '2027-03-06T00:00:00Z',
      expandRecurrences: true,
    });
    const [event] = data.filter((each) => each.title === title);
    expect(event?.attendees.map(({ email }) => email)).toEqual(
      expect.arrayContaining(['bob@x.example', 'dave@x.example']),
    );
  });
});
