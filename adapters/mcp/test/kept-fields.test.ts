import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

let world: McpWorld;
let agent: McpClient;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  place = { accountId: world.accounts.google, calendarId: PEOPLE.google.email };
});
afterAll(() => world.close());

async function written(tool: string, input: Readonly<Record<string, unknown>>) {
  const preview = await agent.call(`preview_${tool}`, { ...place, ...input });
  expect(preview, preview.text).toMatchObject({ isError: false });
  const done = await agent.call(tool, { ...place, ...input, previewToken: tokenOf(preview) });
  expect(done, done.text).toMatchObject({ isError: false });
  return [preview.text, done.text];
}

/** Begins a weekly series on the first Monday of a month, and returns the ids of its occurrences. */
async function weekly(title: string, month: string, count: number): Promise<readonly string[]> {
  const rule = `RRULE:FREQ=WEEKLY;COUNT=${count}`;
  await written('create_event', {
    title,
    start: `2027-${month}-01T09:00`,
    recurrence: [rule],
    attendees: ['bob@x.example'],
  });
  const window = { accountId: place.accountId, from: `2027-${month}-01`, to: '2027-12-31', title };
  const { text } = await agent.call('list_events', window);
  return [...text.matchAll(/eventId: (".*")/g)].map(([, id = '']) => JSON.parse(id));
}

/** Lists the days of a title in the months from one to another. */
async function days(from: string, to: string, title: string): Promise<readonly string[]> {
  const window = { accountId: place.accountId, from: `2027-${from}-01`, to: `2027-${to}-28`, title };
  const { text } = await agent.call('list_events', window);
  const listed = [...text.matchAll(/^- "(.*)"\n {2}when: ([^,]*),/gm)];
  return listed.filter(([, name]) => name === title).map(([, , day = '']) => day);
}

describe('occurrences that were changed alone', () => {
  it('are named where they keep what a change of all writes', async () => {
    const [first = '', second, third, fourth, fifth] = await weekly('Plan', '02', 5);
    await written('change_event', { eventId: second, scope: 'this', start: '2027-02-08T15:00' });
    await written('change_event', { eventId: third, scope: 'this', location: 'Room 2' });
    await written('change_event', { eventId: fourth, scope: 'this', title: 'Own' });
    await written('change_event', { eventId: fifth, scope: 'this', addAttendees: ['eve@x.example'] });
    const input = { eventId: first, scope: 'all', title: 'Renamed', location: 'Hall', addAttendees: ['new@x.example'] };
    for (const text of await written('change_event', input)) {
      expect(text).toContain('1 occurrence keeps its own title, changed alone before: Monday 22 February 2027.');
      expect(text).toContain('1 occurrence keeps its own place, changed alone before: Monday 15 February 2027.');
      expect(text).toContain('1 occurrence keeps its own attendees, changed alone before: Monday 1 March 2027.');
    }
    const { text } = await agent.call('list_events', {
      accountId: place.accountId,
      from: '2027-02-01',
      to: '2027-03-01',
    });
    expect([...text.matchAll(/^- "(.*)"$/gm)].map(([, title]) => title)).toEqual([
      'Renamed',
      'Renamed',
      'Renamed',
      'Own',
      'Renamed',
    ]);
  });

  it('are counted, the first five with their dates, and none before the reach', async () => {
    const ids = await weekly('Talk', '03', 9);
    for (const [index, eventId] of ids.entries()) {
      if (index !== 1) await written('change_event', { eventId, scope: 'this', title: `Talk ${index}` });
    }
    const input = { eventId: ids[1], scope: 'following', title: 'Lecture' };
    const preview = await agent.call('preview_change_event', { ...place, ...input });
    expect(preview.text).toMatch(
      /7 occurrences keep their own title, changed alone before: Monday 15 March 2027; .*Monday 12 April 2027 and 2 more\.$/m,
    );
    const named = await agent.call('preview_change_event', { ...place, ...input, eventId: ids[7] });
    expect(named.text).toContain('1 occurrence keeps its own title, changed alone before: Monday 26 April 2027.');
    expect(
      (await agent.call('preview_change_event', { ...place, ...input, title: undefined, location: 'Hall' })).text,
    ).not.toContain('own');
  });

  it('are named where they are afterwards, and not where the new dates lack them', async () => {
    const ids = await weekly('Shift', '06', 5);
    const [first, second, third] = ids;
    await written('change_event', { eventId: second, scope: 'this', title: 'Own' });
    await written('change_event', { eventId: third, scope: 'this', title: 'Later', start: '2027-06-17T15:00' });
    const [, literal = ''] =
      /seriesId: (".*")/.exec((await agent.call('get_event', { ...place, eventId: first })).text) ?? [];
    const all = { eventId: JSON.parse(literal), scope: 'all' };
    const kept = /own title, changed alone before: (.*)\.$/m;
    for (const [title, start, day] of [
      ['Evening', '2027-06-01T20:00', 'Tuesday 8 June 2027'],
      ['Night', '2027-06-02T02:00', 'Wednesday 9 June 2027'],
    ] as const) {
      for (const text of await written('change_event', { ...all, title, start })) {
        expect(kept.exec(text)?.[1]).toBe(`${day}; Thursday 17 June 2027`);
      }
      expect(await days('06', '07', 'Own')).toEqual([day]);
      expect(await days('06', '07', 'Later')).toEqual(['Thursday 17 June 2027']);
    }
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=5'];
    const rule = { ...all, title: 'Friday', start: '2027-06-04T09:00', recurrence };
    for (const text of await written('change_event', rule)) expect(text).not.toMatch(kept);
    for (const title of ['Own', 'Later']) expect(await days('06', '07', title)).toEqual([]);
  });
});
