import type { KalendsError } from 'kalends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

const ZONE = 'Europe/London';

let world: McpWorld;
let agent: McpClient;
let place: { readonly accountId: string; readonly calendarId: string };
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
  place = { accountId: world.accounts.google, calendarId: PEOPLE.google.email };
});
afterAll(() => world.close());

const timed = (dateTime: string) => ({ dateTime: `${dateTime}:00`, timeZone: ZONE });

/** Creates a series from Monday, 7 June 2027, 09:00, and returns its id. */
async function series(rule: string): Promise<string> {
  const caller = { applicationId: world.applicationId };
  const body = { title: rule, start: timed('2027-06-07T09:00'), recurrence: [`RRULE:${rule}`] };
  return (await world.engine.events.create(caller, place.accountId, place.calendarId, body)).id;
}

/** Returns how the engine refuses the same change. */
async function refusalOf(eventId: string, scope: 'all' | 'following', start: string, end: string): Promise<string> {
  const body = { start: timed(start), end: timed(end) };
  const update = world.engine.events.update(
    { applicationId: world.applicationId },
    place.accountId,
    place.calendarId,
    eventId,
    body,
    { scope },
  );
  return await update.then(
    () => 'written',
    ({ message }: KalendsError) => message,
  );
}

const NUMBERED = [
  ['FREQ=MONTHLY;BYDAY=1MO;COUNT=6', '2027-06-08T10:00'],
  ['FREQ=MONTHLY;BYDAY=1MO,3MO;COUNT=6', '2027-06-14T10:00'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=5;COUNT=4', '2027-06-08T10:00'],
  ['FREQ=YEARLY;BYMONTH=6;BYDAY=1MO;COUNT=3', '2027-06-08T10:00'],
] as const;

describe('a series whose rule does not move along with its start', () => {
  it.each(NUMBERED)('%s is refused %s in the preview as in the write', async (rule, start) => {
    const id = await series(rule);
    const first = `${id}_20270607T080000Z`;
    const end = start.replace('T10', 'T11');
    for (const [eventId, scope] of [
      [id, 'all'],
      [first, 'all'],
      [first, 'following'],
    ] as const) {
      const { text, isError } = await agent.call('preview_change_event', { ...place, eventId, scope, start });
      expect(isError, text).toBe(true);
      const refusal = await refusalOf(eventId, scope, start, end);
      expect(refusal).toMatch(/^start: .* is not produced by the rule; the first that fits is /);
      expect(text).toContain(refusal);
    }
  });

  it('is refused a day that it would not have after its move', async () => {
    const eventId = `${await series('FREQ=MONTHLY;BYDAY=1MO;COUNT=6')}_20270802T080000Z`;
    const input = { ...place, eventId, scope: 'all', start: '2027-08-30T09:00' };
    const { text, isError } = await agent.call('preview_change_event', input);
    expect(isError, text).toBe(true);
    const refusal = await refusalOf(eventId, 'all', '2027-08-30T09:00', '2027-08-30T10:00');
    expect(refusal).toContain('has an occurrence on 2027-08-30');
    expect(text).toContain(refusal);
  });
});

it.each([
  ['FREQ=MONTHLY;BYDAY=1MO;COUNT=6', '2027-06-07T10:00'],
  ['FREQ=MONTHLY;BYMONTHDAY=7;COUNT=6', '2027-06-08T10:00'],
  ['FREQ=MONTHLY;COUNT=6', '2027-06-08T10:00'],
  ['FREQ=WEEKLY;BYDAY=MO,WE;COUNT=6', '2027-06-08T10:00'],
  ['FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=9', '2027-06-12T10:00'],
  ['FREQ=DAILY;BYHOUR=9;COUNT=4', '2027-06-07T10:00'],
])('a series of %s moves to %s as its preview says', async (rule, start) => {
  for (const scope of ['all', 'following', 'series'] as const) {
    const id = await series(rule);
    const [eventId, reach] = scope === 'series' ? [id, 'all'] : [`${id}_20270607T080000Z`, scope];
    const input = { ...place, eventId, scope: reach, start };
    const preview = await agent.call('preview_change_event', input);
    expect(preview, preview.text).toMatchObject({ isError: false });
    const done = await agent.call('change_event', { ...input, previewToken: tokenOf(preview) });
    expect(done, `${scope} ${done.text}`).toMatchObject({ isError: false });
  }
});
