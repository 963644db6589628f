import type { ProviderCalendar, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, BEN, createHarness, type Harness } from '../harness.ts';

let harness: Harness;
let session: ProviderSession;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
});
afterEach(() => harness.close());

async function list(as: ProviderSession = session): Promise<ProviderCalendar[]> {
  const found: ProviderCalendar[] = [];
  for await (const page of harness.provider.calendars.pull(as, null)) {
    expect(page).toMatchObject({ full: true, nextToken: null });
    for (const change of page.changes) if (change.kind === 'calendar') found.push(change.calendar);
  }
  return found;
}

test('the primary calendar is mapped, with the zone of the mailbox', async () => {
  expect(await list()).toEqual([
    {
      id: expect.any(String),
      providerTag: expect.any(String),
      name: 'Calendar',
      hexColor: '#0078d4',
      readOnly: false,
      isPrimary: true,
      isShared: false,
      timeZone: 'America/New_York',
      inviteEmail: ADA,
      allowedOnlineMeetingProviders: ['teamsForBusiness'],
      defaultOnlineMeetingProvider: 'teamsForBusiness',
    },
  ]);
});

test('colour and zone come back exactly, until the colour is changed at Graph', async () => {
  const created = await harness.provider.calendars.create(session, {
    name: 'Project',
    hexColor: '#FF0033',
    timeZone: 'Europe/Kyiv',
  });
  expect(created).toMatchObject({ name: 'Project', hexColor: '#FF0033', timeZone: 'Europe/Kyiv', isPrimary: false });
  expect((await list()).find(({ id }) => id === created.id)).toEqual(created);
  const renamed = await harness.provider.calendars.update(session, created.id, { name: 'Other' });
  expect(renamed).toMatchObject({ name: 'Other', hexColor: '#FF0033', timeZone: 'Europe/Kyiv' });
  await harness.graph(ADA, 'PATCH', `me/calendars/${created.id}`, { color: 'lightGreen' });
  expect((await list()).find(({ id }) => id === created.id)?.hexColor).toBe('#87d28e');
  const cleared = await harness.provider.calendars.update(session, created.id, { hexColor: null, timeZone: null });
  expect(cleared).toMatchObject({ hexColor: '#0078d4', timeZone: 'America/New_York' });
});

test('the id of a new calendar is the one that lasts', async () => {
  harness.control('setCalendarIdQuirk', { enabled: true });
  const created = await harness.provider.calendars.create(session, { name: 'Quirk' });
  expect((await list()).map(({ id }) => id)).toContain(created.id);
  await harness.provider.calendars.delete(session, created.id);
  await harness.provider.calendars.delete(session, created.id);
  expect(await list()).toHaveLength(1);
});

test('a shared calendar is somebody else’s; only its colour is one’s own', async () => {
  const [bens] = await list(await harness.session(BEN));
  const shared = { ownerEmail: BEN, calendarId: bens!.id, withEmail: ADA } as const;
  const id = harness.sandbox.microsoft.shareCalendar({ ...shared, role: 'reader' });
  const find = async () => (await list()).find((calendar) => calendar.id === id);
  expect(await find()).toMatchObject({ readOnly: true, isShared: true, isPrimary: false, inviteEmail: BEN });
  expect(await harness.provider.calendars.update(session, id, { hexColor: '#a6d1f5' })).toMatchObject({
    hexColor: '#a6d1f5',
  });
  await expect(harness.provider.calendars.update(session, id, { name: 'Mine' })).rejects.toMatchObject({
    reason: 'forbidden',
  });
  harness.sandbox.microsoft.shareCalendar({ ...shared, role: 'writer' });
  expect(await find()).toMatchObject({ readOnly: false });
});

test('no outage is taken for an empty list', async () => {
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    path: '/v1.0/me/calendars',
    kind: 'answer',
    status: 500,
    body: { error: { code: 'ErrorInternalServerError', message: '' } },
  });
  await expect(list()).rejects.toMatchObject({ reason: 'unavailable', status: 500 });
});

test('the default calendar is not deleted, a taken name is a conflict, an unknown id not found', async () => {
  const [primary] = await list();
  await expect(harness.provider.calendars.delete(session, primary!.id)).rejects.toMatchObject({ reason: 'forbidden' });
  await harness.provider.calendars.create(session, { name: 'Twice' });
  await expect(harness.provider.calendars.create(session, { name: 'Twice' })).rejects.toMatchObject({
    reason: 'conflict',
  });
  await expect(harness.provider.calendars.update(session, 'nothing', { name: 'x' })).rejects.toMatchObject({
    reason: 'not-found',
  });
});

test('without leave to read the mailbox settings the zone is UTC', async () => {
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    path: '/v1.0/me/mailboxSettings',
    kind: 'answer',
    status: 403,
    body: { error: { code: 'ErrorAccessDenied', message: '' } },
  });
  expect((await list())[0]?.timeZone).toBe('UTC');
});

test('a calendar is there until it is deleted', async () => {
  const { id } = await harness.provider.calendars.create(session, { name: 'Project' });
  expect(await harness.provider.calendars.exists(session, id)).toBe(true);
  await harness.provider.calendars.delete(session, id);
  expect(await harness.provider.calendars.exists(session, id)).toBe(false);
});
