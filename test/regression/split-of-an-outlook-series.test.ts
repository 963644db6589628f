import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScopedWorld, type ScopedWorld } from '../events/series-edit/scoped-world.ts';
import type { Json } from '../interface/world.ts';

/* All that Outlook says of a series beside its texts and places, told by a field of the interface or by none. */

const EMAIL = 'person1@microsoft.example';
const SETTINGS = {
  importance: 'high',
  sensitivity: 'personal',
  showAs: 'workingElsewhere',
  categories: ['Red', 'Blue'],
  hideAttendees: true,
  allowNewTimeProposals: false,
  responseRequested: false,
  isReminderOn: true,
  reminderMinutesBeforeStart: 25,
};
const OWN = { ...SETTINGS, importance: 'low', sensitivity: 'private', categories: [], hideAttendees: false };

let scoped: ScopedWorld;
beforeEach(async () => {
  scoped = await createScopedWorld('microsoft');
});
afterEach(() => scoped.close());

const graph = (method: string, path: string, body?: unknown): Promise<Json> =>
  scoped.world.atProvider('microsoft', EMAIL, method, `/me/events${path}`, body);

async function instances(id: string): Promise<readonly Json[]> {
  const window = 'startDateTime=2026-04-01T00:00:00Z&endDateTime=2026-06-15T00:00:00Z';
  return (await graph('GET', `/${id}/instances?${window}`)).value;
}

/** Mondays from April 6th; the 27th has settings of its own. */
async function outlookSeries(): Promise<string> {
  const { id } = await graph('POST', '', {
    ...SETTINGS,
    subject: 'Weekly',
    attendees: [{ emailAddress: { address: 'guest@else.example' }, type: 'optional' }],
    start: { dateTime: '2026-04-06T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-04-06T10:00:00', timeZone: 'UTC' },
    recurrence: {
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' },
      range: { type: 'numbered', startDate: '2026-04-06', numberOfOccurrences: 5, recurrenceTimeZone: 'UTC' },
    },
  });
  await graph('PATCH', `/${(await instances(id))[3].id}`, OWN);
  return id;
}

test('a new half has the settings of the old one', async () => {
  const id = await outlookSeries();
  const { id: newId } = await scoped.put(`${id}_20260420T090000Z`, { title: 'Weekly 2' }, 'following');
  expect(await instances(newId)).toMatchObject([SETTINGS, OWN, SETTINGS]);
});

test('a new half has the visibility that the split gives it', async () => {
  const id = await outlookSeries();
  const { id: newId } = await scoped.put(`${id}_20260420T090000Z`, { visibility: 'confidential' }, 'following');
  expect((await instances(newId)).map(({ sensitivity }) => sensitivity)).toEqual([
    'confidential',
    'private',
    'confidential',
  ]);
});

test.each([
  ['times', { start: { dateTime: '2026-04-06T11:00:00Z' }, end: { dateTime: '2026-04-06T12:00:00Z' } }],
  ['a rule', { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=6'] }],
])('other %s change no settings', async (_what, patch) => {
  const id = await outlookSeries();
  await scoped.put(id, patch, 'all');
  const found = await instances(id);
  expect(found.slice(0, 5)).toMatchObject([SETTINGS, SETTINGS, SETTINGS, OWN, SETTINGS]);
});

test('a client that sends back what it read, with another title, changes no settings', async () => {
  const id = await outlookSeries();
  for (const one of [id, `${id}_20260413T090000Z`, `${id}_20260427T090000Z`]) {
    await scoped.put(one, { ...(await scoped.get(one)), title: 'Again' });
  }
  expect(await instances(id)).toMatchObject([SETTINGS, SETTINGS, SETTINGS, OWN, SETTINGS]);
});
