import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScopedWorld, type ScopedWorld } from '../events/series-edit/scoped-world.ts';
import { body, eventsPath } from '../interface/steps.ts';
import type { Json } from '../interface/world.ts';

const SOURCE = { title: 'CRM', url: 'https://crm.example/x' };
const GUEST = { email: 'guest@example.com', responseStatus: 'accepted', comment: 'late', additionalGuests: 2 };

let scoped: ScopedWorld;
beforeEach(async () => {
  scoped = await createScopedWorld('google');
});
afterEach(() => scoped.close());

const atProvider = (method: string, path: string, body?: unknown): Promise<Json> =>
  scoped.world.atProvider('google', 'person1@google.example', method, `/calendars/primary/events${path}`, body);

/** Mondays from April 6th. */
const weekly = (more: object): Promise<Json> =>
  atProvider('POST', '', {
    summary: 'Weekly',
    start: { dateTime: '2026-04-06T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2026-04-06T10:00:00Z', timeZone: 'UTC' },
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'],
    ...more,
  });

test('the new half of a split has what no field tells of the series', async () => {
  const made = await weekly({
    attendees: [GUEST, { email: 'other@example.com' }],
    source: SOURCE,
    anyoneCanAddSelf: true,
  });
  const attendees = [{ email: 'guest@example.com' }, { email: 'new@example.com' }];
  const { id } = await scoped.put(`${made.id}_20260420T090000Z`, { attendees }, 'following');
  const half = await atProvider('GET', `/${id}`);
  expect(half).toMatchObject({ source: SOURCE, anyoneCanAddSelf: true });
  expect(half.attendees).toMatchObject([GUEST, { email: 'new@example.com', responseStatus: 'needsAction' }]);
});

test.each([
  ['a new title', { title: 'Weekly 2' }, 'Weekly 2', '09'],
  [
    'other times',
    {
      start: { dateTime: '2026-04-20T11:00:00Z', timeZone: 'UTC' },
      end: { dateTime: '2026-04-20T12:00:00Z', timeZone: 'UTC' },
    },
    'Weekly',
    '11',
  ],
])('modified occurrences have what no field tells of them in a new half with %s', async (_what, patch, summary, hour) => {
  const { id } = await weekly({ source: SOURCE });
  const own = { title: 'Deal', url: 'https://crm.example/deal' };
  await atProvider('PATCH', `/${id}_20260420T090000Z`, { anyoneCanAddSelf: true });
  await atProvider('PATCH', `/${id}_20260427T090000Z`, { summary: 'Special', source: own });
  await atProvider('PATCH', `/${id}_20260504T090000Z`, { source: null });
  const { id: newId } = await scoped.put(`${id}_20260420T090000Z`, patch, 'following');
  const shown = async (day: string) => {
    const { summary: title, source, anyoneCanAddSelf } = await atProvider('GET', `/${newId}_2026${day}T${hour}0000Z`);
    return { title, source, anyoneCanAddSelf };
  };
  expect(await shown('0420')).toEqual({ title: summary, source: SOURCE, anyoneCanAddSelf: true });
  expect(await shown('0427')).toEqual({ title: 'Special', source: own, anyoneCanAddSelf: undefined });
  expect(await shown('0504')).toEqual({ title: summary, source: undefined, anyoneCanAddSelf: undefined });
  await scoped.expectSynced();
});

test('modified occurrences keep what no field tells of them when all their times move', async () => {
  const { id } = await weekly({});
  await atProvider('PATCH', `/${id}_20260427T090000Z`, { summary: 'Special', source: SOURCE });
  const at = (hour: number) => ({ dateTime: `2026-04-06T${hour}:00:00Z`, timeZone: 'UTC' });
  await scoped.put(id, { start: at(11), end: at(12) }, 'all');
  const { items } = await atProvider('GET', `/${id}/instances`);
  expect(items.filter(({ summary }: Json) => summary === 'Special')).toMatchObject([{ source: SOURCE }]);
});

test.each([
  ['a new half', 'following', '20'],
  ['other times of all', 'all', '06'],
] as const)('guests of a modified occurrence keep their comments and companions in %s', async (_what, scope, day) => {
  const { id } = await weekly({ attendees: [{ email: 'guest@example.com' }] });
  const own = { email: 'own@example.com', responseStatus: 'declined', comment: 'away' };
  await atProvider('PATCH', `/${id}_20260427T090000Z`, { attendees: [GUEST, own] });
  await atProvider('PATCH', `/${id}_20260504T090000Z`, { attendees: [GUEST] });
  const at = (hour: number) => ({ dateTime: `2026-04-${day}T${hour}:00:00Z`, timeZone: 'UTC' });
  const record = scope === 'all' ? id : `${id}_20260420T090000Z`;
  const { id: newId } = await scoped.put(record, { start: at(11), end: at(12) }, scope);
  const guestsOn = async (date: string) => (await atProvider('GET', `/${newId}_2026${date}T110000Z`)).attendees;
  expect(await guestsOn('0427')).toMatchObject([GUEST, own]);
  expect(await guestsOn('0504')).toMatchObject([GUEST]);
  await scoped.expectSynced();
});

test('a label of the calendar goes with a new half and its modified occurrences', async () => {
  const labels = '?eventLabelVersion=1';
  const { id } = await weekly({});
  const label = (day: string, eventLabelId: string) => atProvider('PATCH', `/${id}${day}${labels}`, { eventLabelId });
  await label('', 'deals');
  await label('_20260427T090000Z', 'calls');
  await label('_20260504T090000Z', '');
  const { id: newId } = await scoped.put(`${id}_20260420T090000Z`, { title: 'Later' }, 'following');
  for (const [slot, eventLabelId] of [
    ['', 'deals'],
    ['_20260420T090000Z', 'deals'],
    ['_20260427T090000Z', 'calls'],
    ['_20260504T090000Z', undefined],
  ] as const) {
    const shown = await atProvider('GET', `/${newId}${slot}`);
    expect({ title: shown.summary, eventLabelId: shown.eventLabelId }).toEqual({ title: 'Later', eventLabelId });
  }
  await scoped.expectSynced();
});

test('a new half with another colour has that in place of the label, and no other write names labels', async () => {
  const { id } = await weekly({ colorId: '3' });
  await atProvider('PATCH', `/${id}?eventLabelVersion=1`, { eventLabelId: 'deals' });
  scoped.world.sandbox.requests.clear();
  const { id: newId } = await scoped.put(`${id}_20260420T090000Z`, { colorId: '5' }, 'following');
  const half = await atProvider('GET', `/${newId}`);
  expect([half.colorId, half.eventLabelId]).toEqual(['5', undefined]);
  expect((await atProvider('GET', `/${id}`)).eventLabelId).toBe('deals');
  expect(scoped.world.sandbox.requests.list().filter(({ query }) => query.includes('eventLabelVersion'))).toEqual([]);
});

test('the new half of an imported series is a copy for the account alone too', async () => {
  const { world } = scoped;
  const other = await world.connect('google');
  const made = await atProvider('POST', '/import', {
    iCalUID: 'imported@example.com',
    summary: 'Weekly',
    start: { dateTime: '2026-04-06T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2026-04-06T10:00:00Z', timeZone: 'UTC' },
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'],
    attendees: [GUEST, { email: other.email }],
  });
  const { id } = await scoped.put(`${made.id}_20260420T090000Z`, { title: 'Later' }, 'following');
  expect(await atProvider('GET', `/${id}`)).toMatchObject({
    summary: 'Later',
    privateCopy: true,
    attendees: [GUEST, { email: other.email }],
  });
  expect(world.sandbox.google.controls['listMails']?.({})).toEqual([]);
  expect(body(await world.call('GET', eventsPath(other))).data).toEqual([]);
});
