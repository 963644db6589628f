import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, idOf, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

/* London's clocks show 01:00 to 02:00 twice on 31 October 2027: at UTC+1, then at UTC+0. */

let world: McpWorld;
let agent: McpClient;
let participants: readonly { readonly accountId: string }[];
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  participants = [{ accountId: world.accounts.google }];
});
afterAll(() => world.close());

const lineOf = (text: string, name: string) => new RegExp(`^ {2}${name}: (\\S+)$`, 'm').exec(text)?.[1];
const slotOf = (text: string) =>
  Object.fromEntries(['start', 'end', 'timeZone'].map((name) => [name, lineOf(text, name)]));
const holdIdOf = (text: string) => idOf(text.replace(/^HELD/, '- "HELD"'), 'HELD', 'holdId');
const release = (held: string) => agent.call('release_hold', { holdId: holdIdOf(held) });

/** Lists the slots of the night, in order of time. */
async function slotsOfNight(): Promise<readonly string[]> {
  const window = { from: '2027-10-31T00:00', to: '2027-10-31T03:00', slotsPerDay: 96 };
  const found = await agent.call('find_meeting_times', { participants, durationMinutes: 30, anyHour: true, ...window });
  return found.text.split('\n- ').slice(1);
}

const NIGHT = [
  ['2027-10-31T00:00', '2027-10-31T00:30'],
  ['2027-10-31T00:30', '2027-10-31T01:00'],
  ['2027-10-31T01:00', '2027-10-31T01:30'],
  ['2027-10-31T01:30', '2027-10-31T01:00+00:00'],
  ['2027-10-31T01:00+00:00', '2027-10-31T01:30+00:00'],
  ['2027-10-31T01:30+00:00', '2027-10-31T02:00'],
  ['2027-10-31T02:00', '2027-10-31T02:30'],
  ['2027-10-31T02:30', '2027-10-31T03:00'],
];

it('slots are held, and explained, as they were found', async () => {
  const slots = await slotsOfNight();
  expect(slots.map(slotOf)).toEqual(NIGHT.map(([start, end]) => ({ start, end, timeZone: 'Europe/London' })));
  for (const slot of slots) {
    const [when = ''] = slot.split('\n');
    const { start, end, timeZone } = slotOf(slot);
    for (const times of [
      { start, end, timeZone },
      { start, timeZone },
    ]) {
      const held = await agent.call('hold_slot', { participants, ...times });
      expect(held.text).toContain(`  when: ${when}\n`);
      await release(held.text);
    }
    const question = { participants, durationMinutes: 30, anyHour: true, start, timeZone };
    const explained = await agent.call('explain_meeting_time', question);
    expect(explained.text).toContain(`${when}, 30 minutes.\nThey can meet then`);
    expect(slotOf(explained.text)).toEqual({ start, end, timeZone });
  }
});

it('a slot in its second pass is booked and moved there', async () => {
  const caller = { applicationId: world.applicationId };
  const second = { start: '2027-10-31T01:00+00:00', end: '2027-10-31T01:30+00:00' };
  const held = await agent.call('hold_slot', { participants, ...second, timeZone: 'Europe/London' });
  const written = async (tool: string, input: object) => {
    const previewToken = tokenOf(await agent.call(`preview_${tool}`, { ...input }));
    return (await agent.call(tool, { ...input, previewToken })).text;
  };
  const done = await written('confirm_hold', { holdId: holdIdOf(held.text), title: 'Night' });
  const eventId = idOf(done, 'Night', 'eventId');
  const inEngine = async () => {
    const event = await world.engine.events.get(caller, world.accounts.google, PEOPLE.google.email, eventId);
    return [event.start.dateTime, event.end.dateTime];
  };
  expect(await inEngine()).toEqual(['2027-10-31T01:00:00+00:00', '2027-10-31T01:30:00+00:00']);
  const bookingToken = idOf(done, 'Night', 'bookingToken');
  // Without timeZone too: an offset leaves no other reading.
  const moved = await written('move_booking', { bookingToken, start: '2027-10-31T01:30+00:00' });
  expect(moved).toContain('01:30–02:00 (Europe/London, UTC+00:00)');
  expect(await inEngine()).toEqual(['2027-10-31T01:30:00+00:00', '2027-10-31T02:00:00+00:00']);
});

it('an offset is refused that the clocks do not have then, or that is not needed', async () => {
  for (const start of ['2027-10-31T01:00+02:00', '2027-10-31T01:00+01:00', '2027-10-31T02:00Z', '2027-10-31T00:30Z']) {
    const refused = await agent.call('hold_slot', { participants, start, timeZone: 'Europe/London' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('without Z or an offset') });
  }
});
