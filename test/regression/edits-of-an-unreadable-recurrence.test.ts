import { manualClock } from '@kalends/conformance';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import { distortedAnswers } from '../interface/distorted-answers.ts';
import { body, type Connected, eventsPath } from '../interface/steps.ts';
import type { Answer, Json, World } from '../interface/world.ts';

/*
 * An edit of a series sent its recurrence without the lines that cannot be read. A series whose rule is one of them became a single
 * event for everybody, and excluded days came back.
 */
const clock = manualClock(Date.UTC(2026, 1, 1));
const answers = distortedAnswers();
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];
const at = (day: string, hour: string) => ({ dateTime: `2026-03-${day}T${hour}:00:00`, timeZone: 'Europe/London' });
const moved = { start: at('02', '11'), end: at('02', '12') };
let world: World;

beforeAll(async () => {
  world = await createDavWorld({ clock, sync: { freshWithoutPushMs: 0.001 } }, answers.intercept);
});
afterAll(() => world.close());
beforeEach(() => answers.byId.clear());

const written = () => world.sandbox.requests.list().filter(({ method }) => WRITES.includes(method));

function expectRefusal({ status, body: problem }: Answer, objectId: string): void {
  expect([status, problem.code], JSON.stringify(problem)).toEqual([502, 'ProviderError']);
  expect(problem.details).toEqual([
    { path: objectId, message: expect.stringMatching(/cannot be read|must be a pattern/) },
  ]);
  expect(written()).toEqual([]);
}

describe('at Google', () => {
  const RULE = ['RRULE:FREQ=WEEKLY;BYDAY=MO;BYDAY=WE'];
  const EXCLUDED = ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;TZID=Mars/Olympus:20260304T090000'];
  const DAILY = ['RRULE:FREQ=DAILY;COUNT=7'];
  let account: Connected;
  let planted = 0;
  beforeAll(async () => {
    account = await world.connect('google');
  });

  async function stage(recurrence: readonly string[]) {
    planted += 1;
    const id = `series${planted}`;
    const { email } = account;
    const times = { start: at('02', '09'), end: at('02', '10') };
    const event = { id, summary: 'Stand-up', ...times, organizer: { email, self: true }, recurrence };
    world.sandbox.google.controls['plantEvent']?.({ calendarId: email, event });
    await clock.advance(1);
    body(await world.call('GET', eventsPath(account)));
    const path = eventsPath(account, id);
    const day = (number: number) => eventsPath(account, `${id}_2026030${number}T090000Z`);
    const lines = async () =>
      (await world.atProvider('google', email, 'GET', `/calendars/primary/events/${id}`)).recurrence;
    world.sandbox.requests.clear();
    return { id, path, day, lines };
  }

  it.each([
    ['a rule', RULE],
    ['an exclusion', EXCLUDED],
  ])('new times beside %s that cannot be read are refused', async (_label, recurrence) => {
    const { id, path, lines } = await stage(recurrence);
    expectRefusal(await world.call('PUT', path, { body: moved }), id);
    expect(await lines()).toEqual(recurrence);
  });

  it.each([
    ['a split', 'PUT', { title: 'Later' }],
    ['an end', 'DELETE', undefined],
  ])('%s is refused', async (_label, method, sent) => {
    const { id, day, lines } = await stage(EXCLUDED);
    const answer = await world.call(method, `${day(3)}?scope=following`, sent === undefined ? {} : { body: sent });
    expectRefusal(answer, id);
    expect(await lines()).toEqual(EXCLUDED);
  });

  it('at the first occurrence, what follows is all: new times are refused, a title or a rule is written', async () => {
    const { id, day, lines } = await stage(EXCLUDED);
    const first = `${day(2)}?scope=following`;
    expectRefusal(await world.call('PUT', first, { body: moved }), id);
    expect(await lines()).toEqual(EXCLUDED);
    expect(body(await world.call('PUT', first, { body: { title: 'Daily' } }))).toMatchObject({ id, title: 'Daily' });
    expect(body(await world.call('PUT', first, { body: { recurrence: DAILY } })).recurrence).toEqual(DAILY);
  });

  it('at the first occurrence, a deletion of what follows is one of all', async () => {
    const { path, day } = await stage(EXCLUDED);
    expect(await world.call('DELETE', `${day(2)}?scope=following`)).toMatchObject({ status: 200 });
    expect(await world.call('GET', path)).toMatchObject({ status: 404 });
  });

  it('the lines that are shown are not the whole rule, sent back or not', async () => {
    const { id, path, day, lines } = await stage(EXCLUDED);
    const { recurrence } = body(await world.call('GET', path));
    expect(recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=5']);
    world.sandbox.requests.clear();
    const sent = { start: at('03', '11'), end: at('03', '12'), recurrence };
    expectRefusal(await world.call('PUT', `${day(3)}?scope=all`, { body: sent }), id);
    expect(await lines()).toEqual(EXCLUDED);
  });

  it('a title leaves the lines, and a rule of the caller replaces them', async () => {
    const { path, lines } = await stage(EXCLUDED);
    expect(body(await world.call('PUT', path, { body: { title: 'Daily' } })).title).toBe('Daily');
    const { path: other, lines: linesOfOther } = await stage(RULE);
    expect(body(await world.call('PUT', other, { body: { ...moved, recurrence: DAILY } })).recurrence).toEqual(DAILY);
    expect(await linesOfOther()).toEqual(DAILY);
    expect(await lines()).toEqual(expect.arrayContaining(['RRULE:FREQ=DAILY;COUNT=5']));
  });
});

it('new times are refused at Microsoft', async () => {
  const account = await world.connect('microsoft');
  const sent = { title: 'Daily', start: at('02', '09'), end: at('02', '10'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
  const { id } = body(await world.call('POST', eventsPath(account), { body: sent }), 201);
  answers.byId.set(id, (wire) => {
    const { recurrence } = wire as Json;
    return { ...(wire as Json), recurrence: { ...recurrence, pattern: { ...recurrence.pattern, type: 'lunar' } } };
  });
  const event = `/me/events/${encodeURIComponent(id)}`;
  await world.atProvider('microsoft', account.email, 'PATCH', event, { subject: 'Stand-up' });
  await clock.advance(1);
  body(await world.call('GET', eventsPath(account)));
  world.sandbox.requests.clear();
  expectRefusal(await world.call('PUT', eventsPath(account, id), { body: moved }), id);
  answers.byId.clear();
  const { recurrence } = await world.atProvider('microsoft', account.email, 'GET', event);
  expect(recurrence.pattern.type).toBe('daily');
});

it('new times are refused at a CalDAV server', async () => {
  const mailbox = await fillDavMailbox(world, 0, []);
  const name = `${Buffer.from(mailbox.calendarId, 'base64url').toString()}odd.ics`;
  const rule = 'RRULE:FREQ=WEEKLY;BYDAY=MO;BYDAY=WE';
  const times = ['DTSTART:20260302T090000Z', 'DTEND:20260302T100000Z'];
  const event = ['BEGIN:VEVENT', 'UID:odd', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Odd', ...times, rule, 'END:VEVENT'];
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', ...event, 'END:VCALENDAR', ''].join('\r\n');
  await mailbox.put(name, text);
  await clock.advance(1);
  const { data } = body(await world.call('GET', eventsPath(mailbox)));
  const { id } = data.find(({ title }: Json) => title === 'Odd');
  world.sandbox.requests.clear();
  expectRefusal(await world.call('PUT', eventsPath(mailbox, id), { body: moved }), id);
  expect(mailbox.texts().get(name)).toContain(rule);
});
