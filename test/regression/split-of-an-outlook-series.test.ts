import { expect, test } from 'vitest';
import { useOutlook } from './outlook-world.ts';

/* All that Outlook says of a series beside its texts and places, told by a field of the interface or by none. */

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

const outlook = useOutlook();
const { graph, instances, weekly } = outlook;

/** Mondays from April 6th; the 27th has settings of its own. */
async function outlookSeries(): Promise<string> {
  const id = await weekly({
    ...SETTINGS,
    attendees: [{ emailAddress: { address: 'guest@else.example' }, type: 'optional' }],
  });
  await graph('PATCH', `/${(await instances(id))[3].id}`, OWN);
  return id;
}

test('a new half has the settings of the old one', async () => {
  const id = await outlookSeries();
  const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, { title: 'Weekly 2' }, 'following');
  expect(await instances(newId)).toMatchObject([SETTINGS, OWN, SETTINGS]);
});

test('a new half has the visibility that the split gives it', async () => {
  const id = await outlookSeries();
  const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, { visibility: 'confidential' }, 'following');
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
  await outlook.put(id, patch, 'all');
  const found = await instances(id);
  expect(found.slice(0, 5)).toMatchObject([SETTINGS, SETTINGS, SETTINGS, OWN, SETTINGS]);
});

test('a client that sends back what it read, with another title, changes no settings', async () => {
  const id = await outlookSeries();
  for (const one of [id, `${id}_20260413T090000Z`, `${id}_20260427T090000Z`]) {
    await outlook.put(one, { ...(await outlook.get(one)), title: 'Again' });
  }
  expect(await instances(id)).toMatchObject([SETTINGS, SETTINGS, SETTINGS, OWN, SETTINGS]);
});
