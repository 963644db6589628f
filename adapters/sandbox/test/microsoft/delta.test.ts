import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Json, type Person, ROOT, timed } from './harness.ts';

const WINDOW = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
const FIRST = `/me/calendarView/delta?${WINDOW}`;
const DAY_MS = 86_400_000;

let harness: Harness;
let ada: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
});

const daily = (n: number, more: Json = {}): Json =>
  timed('Standup', '2026-03-02T09:00:00', 'UTC', {
    recurrence: {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'numbered', startDate: '2026-03-02', numberOfOccurrences: n },
    },
    ...more,
  });

/** A whole round from a path or link: its items and where the next one starts. */
async function round(from: string, headers: Record<string, string> = { prefer: 'odata.maxpagesize=100' }) {
  const { items, last, pages } = await ada.all(from, headers);
  return { items, pages, link: last['@odata.deltaLink'] as string };
}

const ids = (items: readonly Json[]) => items.map(({ id }) => id);
const occurrences = async (id: string): Promise<Json[]> =>
  (await ada.all(`/me/events/${id}/instances?${WINDOW}&$top=100`)).items;

describe('calendarView/delta', () => {
  test('a first round gives singles whole, occurrences as stubs, and an absolute delta link', async () => {
    const single = await ada.create(timed('Single', '2026-03-03T12:00:00'));
    const master = await ada.create(daily(2));
    await ada.create(timed('Outside', '2026-05-03T12:00:00'));
    const { items, link } = await round(FIRST);
    expect(link.startsWith(`${ROOT}/v1.0/me/calendarView/delta?$deltatoken=`)).toBe(true);
    const byType = (type: string) => items.filter((item) => item.type === type);
    expect(byType('singleInstance')).toMatchObject([{ id: single.id, subject: 'Single' }]);
    expect(byType('seriesMaster')).toMatchObject([{ id: master.id, subject: 'Standup' }]);
    const [stub] = byType('occurrence');
    expect(Object.keys(stub).sort()).toEqual(
      ['@odata.etag', '@odata.type', 'end', 'id', 'seriesMasterId', 'start', 'type'].sort(),
    );
    expect(stub.seriesMasterId).toBe(master.id);
    expect(items).toHaveLength(4);
    expect((await round(link)).items).toEqual([]);
  });

  test('pages by ten by default, by maxpagesize when preferred', async () => {
    await ada.create(daily(25));
    expect(await round(FIRST, {})).toMatchObject({ pages: 3 });
    expect(await round(FIRST, { prefer: 'odata.maxpagesize=5' })).toMatchObject({ pages: 6 });
  });

  test.each([
    '$select=id',
    '$expand=extensions',
    '$filter=x',
    '$orderby=start',
    '$search=x',
  ])('refuses %s', async (option) => {
    const { status, body } = await ada.get(`${FIRST}&${option}`);
    expect([status, body.error.code]).toEqual([400, 'ErrorInvalidUrlQuery']);
  });

  test('needs a window, not an empty one', async () => {
    expect((await ada.get('/me/calendarView/delta')).status).toBe(400);
    expect((await ada.get('/me/calendarView/delta?startDateTime=&endDateTime=2026-01-01')).status).toBe(400);
  });

  test('reports what was created, changed and deleted since', async () => {
    const kept = await ada.create(timed('Kept', '2026-03-03T12:00:00'));
    const gone = await ada.create(timed('Gone', '2026-03-04T12:00:00'));
    const { link } = await round(FIRST);
    await ada.call('PATCH', `/me/events/${kept.id}`, { subject: 'Changed' });
    await ada.call('DELETE', `/me/events/${gone.id}`);
    const added = await ada.create(timed('New', '2026-03-05T12:00:00'));
    const { items } = await round(link);
    expect(items).toHaveLength(3);
    expect(items.find(({ id }) => id === kept.id).subject).toBe('Changed');
    expect(items.find(({ id }) => id === added.id).subject).toBe('New');
    expect(items.find(({ id }) => id === gone.id)['@removed']).toEqual({ reason: 'deleted' });
  });

  test('reports items outside the window as removed, even ones never inside', async () => {
    const moved = await ada.create(timed('Moved', '2026-03-03T12:00:00'));
    const { link } = await round(FIRST);
    await ada.call('PATCH', `/me/events/${moved.id}`, timed('Moved', '2026-06-03T12:00:00'));
    const outside = await ada.create(timed('Outside', '2026-05-03T12:00:00'));
    const { items } = await round(link);
    expect(items.map((item) => [item.id, item['@removed']])).toEqual([
      [moved.id, { reason: 'changed' }],
      [outside.id, { reason: 'changed' }],
    ]);
  });

  test('freezes the window in the token', async () => {
    const { link } = await round(FIRST);
    await ada.create(timed('April', '2026-04-02T12:00:00'));
    const widened = `${link}&startDateTime=2026-01-01&endDateTime=2027-01-01`;
    expect((await round(widened)).items[0]).toHaveProperty('@removed');
  });

  test('a changed occurrence comes whole, its master may be left out', async () => {
    const master = await ada.create(daily(5));
    const [first] = await occurrences(master.id);
    const { link } = await round(FIRST);
    harness.control('setDeltaUnreliability', { omittedDeltaMasters: 1 });
    await ada.call('PATCH', `/me/events/${first.id}`, { subject: 'Longer' });
    const { items } = await round(link);
    expect(items).toMatchObject([{ id: first.id, type: 'exception', subject: 'Longer', seriesMasterId: master.id }]);
    expect((await round(FIRST)).items.filter(({ type }) => type === 'seriesMaster')).toEqual([]);
  });

  test('a deleted occurrence is reported, or never', async () => {
    const master = await ada.create(daily(5));
    const [first, second] = await occurrences(master.id);
    const { link } = await round(FIRST);
    await ada.call('DELETE', `/me/events/${first.id}`);
    const reported = await round(link);
    expect(reported.items.find(({ id }) => id === first.id)['@removed']).toEqual({ reason: 'deleted' });
    harness.control('setDeltaUnreliability', { missedOccurrenceDeletions: 1 });
    await ada.call('DELETE', `/me/events/${second.id}`);
    expect(ids((await round(reported.link)).items)).toEqual([master.id]);
  });

  test('a share of deletions is missed, the same ones every time', async () => {
    harness.control('setDeltaUnreliability', { missedOccurrenceDeletions: 0.5, omittedDeltaMasters: 1 });
    const master = await ada.create(daily(28));
    const { link } = await round(FIRST);
    for (const { id } of (await occurrences(master.id)).slice(1)) await ada.call('DELETE', `/me/events/${id}`);
    const { items } = await round(link);
    expect(items.length).toBeGreaterThan(4);
    expect(items.length).toBeLessThan(24);
    expect(ids((await round(link)).items)).toEqual(ids(items));
  });

  test('a new pattern brings new ids and takes no old one back', async () => {
    const master = await ada.create(daily(3));
    const before = ids(await occurrences(master.id));
    const { link } = await round(FIRST);
    await ada.call('PATCH', `/me/events/${master.id}`, {
      recurrence: {
        pattern: { type: 'daily', interval: 2 },
        range: { type: 'numbered', startDate: '2026-03-02', numberOfOccurrences: 3 },
      },
    });
    const { items } = await round(link);
    expect(items.some((item) => item['@removed'])).toBe(false);
    const stubs = items.filter(({ type }) => type === 'occurrence');
    expect(stubs).toHaveLength(3);
    for (const { id } of stubs) expect(before).not.toContain(id);
  });

  test('a deleted series takes its occurrences along', async () => {
    const master = await ada.create(daily(3));
    const slots = ids(await occurrences(master.id));
    const { link } = await round(FIRST);
    await ada.call('DELETE', `/me/events/${master.id}`);
    const { items } = await round(link);
    expect(ids(items).sort()).toEqual([master.id, ...slots].sort());
    for (const item of items) expect(item['@removed']).toEqual({ reason: 'deleted' });
  });

  test('an exception moved out of the window is removed', async () => {
    const master = await ada.create(
      timed('Monthly', '2026-03-30T09:00:00', 'UTC', {
        recurrence: {
          pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'] },
          range: { type: 'noEnd', startDate: '2026-03-30' },
        },
      }),
    );
    const [slot] = await occurrences(master.id);
    const { link } = await round(FIRST);
    await ada.call('PATCH', `/me/events/${slot.id}`, timed('Monthly', '2026-04-02T09:00:00'));
    const { items } = await round(link);
    expect(items.find(({ id }) => id === slot.id)['@removed']).toEqual({ reason: 'changed' });
  });

  test('an entity may come twice in a round', async () => {
    harness.control('setDeltaUnreliability', { repeatedDeltaEntities: 1 });
    const { id } = await ada.create(timed('Single', '2026-03-03T12:00:00'));
    expect(ids((await round(FIRST)).items)).toEqual([id, id]);
  });

  test('changes between two pages are not lost', async () => {
    const made: Json[] = [];
    for (let n = 0; n < 12; n += 1) made.push(await ada.create(timed(`E${n}`, '2026-03-03T12:00:00')));
    const firstPage = await ada.read(FIRST, { prefer: 'odata.maxpagesize=5' });
    await ada.call('PATCH', `/me/events/${made[0].id}`, { subject: 'First, changed' });
    await ada.call('PATCH', `/me/events/${made[7].id}`, { subject: 'Eighth, changed' });
    await ada.call('DELETE', `/me/events/${made[1].id}`);
    await ada.call('DELETE', `/me/events/${made[9].id}`);
    const { items } = await round(firstPage['@odata.nextLink']);
    const mirror = new Map<string, Json>();
    for (const item of [...firstPage.value, ...items]) {
      if (item['@removed']) mirror.delete(item.id);
      else mirror.set(item.id, item);
    }
    const { value } = await ada.read('/me/events?$top=100');
    expect([...mirror.keys()].sort()).toEqual(ids(value).sort());
    expect(mirror.get(made[0].id)!.subject).toBe('First, changed');
    expect(mirror.get(made[7].id)!.subject).toBe('Eighth, changed');
  });

  test('follows a calendar of its own and one that is shared', async () => {
    const { body: team } = await ada.call('POST', '/me/calendars', { name: 'Team' });
    const ben = await harness.person('ben@contoso.test');
    const shared = harness.server.shareCalendar({
      ownerEmail: 'ada@contoso.test',
      calendarId: team.id,
      withEmail: 'ben@contoso.test',
      role: 'writer',
    });
    const { id } = (await ben.call('POST', `/me/calendars/${shared}/events`, timed('Ours', '2026-03-03T12:00:00')))
      .body;
    expect(ids((await round(`/me/calendars/${team.id}/calendarView/delta()?${WINDOW}`)).items)).toEqual([id]);
    expect(ids((await ben.all(`/me/calendars/${shared}/calendarView/delta?${WINDOW}`)).items)).toEqual([id]);
    const { link } = await round(FIRST);
    const foreign = link.replace('/me/calendarView', `/me/calendars/${team.id}/calendarView`);
    expect((await ada.get(foreign)).status).toBe(400);
  });

  test('answers ids of the preferred type', async () => {
    const { id } = await ada.create(timed('Single', '2026-03-03T12:00:00'));
    const { items } = await round(FIRST, { prefer: 'IdType="ImmutableId"' });
    expect(items[0].id).not.toBe(id);
    expect((await ada.read(`/me/events/${items[0].id}`)).id).toBe(id);
  });
});

describe('token death', () => {
  test.each(['syncStateNotFound', 'syncStateInvalid', 'resyncRequired'])('by control, with code %s', async (code) => {
    const { link } = await round(FIRST);
    harness.control('expireDeltaTokens', { code });
    const { status, body } = await ada.get(link);
    expect([status, body.error.code]).toEqual([410, code]);
    harness.kernel.clock.advance(1);
    expect((await ada.get((await round(FIRST)).link)).status).toBe(200);
  });

  test('by age', async () => {
    const { link } = await round(FIRST);
    harness.kernel.clock.advance(7 * DAY_MS + 1);
    ada = await harness.person('ada@contoso.test');
    expect((await ada.get(link)).status).toBe(410);
  });

  test('by damage', async () => {
    const { status, body } = await ada.get('/me/calendarView/delta?$deltatoken=abc');
    expect([status, body.error.code]).toEqual([410, 'syncStateInvalid']);
  });

  test('in the middle of a round', async () => {
    await ada.create(daily(15));
    const page = await ada.read(FIRST);
    harness.control('expireDeltaTokens');
    expect((await ada.get(page['@odata.nextLink'])).status).toBe(410);
  });
});

test('events/delta is not in v1.0', async () => {
  const { id } = await ada.read('/me/calendar');
  for (const path of [`/me/calendars/${id}/events/delta`, '/me/events/delta']) {
    const { status, body } = await ada.get(path);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('Change tracking is not supported')]);
  }
});

test('some calendars are refused for good', async () => {
  const statusOf = async (path: string) => (await ada.get(path, { prefer: 'odata.maxpagesize=1' })).status;
  await ada.create(timed('A', '2026-03-03T12:00:00'));
  await ada.create(timed('B', '2026-03-03T13:00:00'));
  const link = (await ada.read(FIRST, { prefer: 'odata.maxpagesize=1' }))['@odata.nextLink'];
  harness.control('setDeltaRefusal', { refusal: 'secondPage' });
  expect([await statusOf(FIRST), await statusOf(link)]).toEqual([200, 403]);
  harness.control('setDeltaRefusal', { refusal: 'endlessSeries' });
  expect(await statusOf(FIRST)).toBe(200);
  await ada.create({
    ...daily(1),
    recurrence: { ...daily(1).recurrence, range: { type: 'noEnd', startDate: '2026-03-02' } },
  });
  expect(await statusOf(FIRST)).toBe(504);
  harness.control('setDeltaRefusal', { refusal: 'always' });
  expect(await statusOf(link)).toBe(503);
});

test('a deletion told of before its master changed is not lost between small pages', async () => {
  const master = await ada.create(daily(5));
  const others = [
    await ada.create(timed('A', '2026-03-03T12:00:00')),
    await ada.create(timed('B', '2026-03-03T13:00:00')),
  ];
  const [slot] = await occurrences(master.id);
  const { link } = await round(FIRST);
  await ada.call('DELETE', `/me/events/${slot.id}`);
  for (const { id } of others) await ada.call('PATCH', `/me/events/${id}`, { subject: 'Changed' });
  await ada.call('PATCH', `/me/events/${master.id}`, { subject: 'Renamed' });
  const { items } = await round(link, { prefer: 'odata.maxpagesize=1' });
  expect(items.find(({ id }) => id === slot.id)['@removed']).toEqual({ reason: 'deleted' });
});

test('a deleted series takes along the slots deleted before it', async () => {
  const master = await ada.create(daily(3));
  const slots = ids(await occurrences(master.id));
  const { link } = await round(FIRST);
  await ada.call('DELETE', `/me/events/${slots[1]}`);
  await ada.call('DELETE', `/me/events/${master.id}`);
  expect(ids((await round(link)).items).sort()).toEqual([master.id, ...slots].sort());
});
