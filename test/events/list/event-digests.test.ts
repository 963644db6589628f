import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent, newYork } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';
import { plainDigest } from '../digest/plain-digest.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  for (const id of ['a', 'b', 'c']) world.fake.put(CALENDAR, fakeEvent(id, newYork('2026-03-04', '12:00', '13:00')));
});
afterEach(() => world.close());

const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
const present = async () => (await world.events.list(CALLER, ACCOUNT, CALENDAR, {})).data as never;
const pull = () => world.mirror.pull(world.account, CALENDAR);
const change = async (id: string) => {
  world.fake.put(CALENDAR, fakeEvent(id, { title: `${id} changed` }));
  await pull();
};

describe('the digest of a list', () => {
  test('is told on the last page where it is asked for, and remembered by tokens', async () => {
    const first = await list({ digest: 'true', limit: '2' });
    expect(first).not.toHaveProperty('digest');
    const last = await list({ pageToken: first.nextPageToken });
    expect(last.digest).toBe(plainDigest(await present()));
    expect(last).not.toHaveProperty('isVerified');
    await change('b');
    world.fake.remove(CALENDAR, 'c');
    await pull();
    const synced = await list({ syncToken: last.nextSyncToken });
    expect(synced.digest).toBe(plainDigest(await present()));
    expect(synced.digest).not.toBe(last.digest);
    const again = await list({ syncToken: synced.nextSyncToken, digest: 'true', verify: 'true' });
    expect(again).toMatchObject({ data: [], digest: synced.digest, isVerified: true });
  });

  test('is in no answer to others', async () => {
    const { nextSyncToken, ...page } = await list();
    expect(page).not.toHaveProperty('digest');
    expect(await list({ syncToken: nextSyncToken })).not.toHaveProperty('digest');
    expect(await list({ digest: 'false' })).not.toHaveProperty('digest');
  });

  test('of an empty list is zero', async () => {
    expect(await list({ search: 'nothing', digest: 'true' })).toMatchObject({ data: [], digest: '0'.repeat(32) });
  });

  test('of occurrences of one event', async () => {
    const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
    const occurrences = (query = {}) => world.events.listOccurrences(CALLER, ACCOUNT, CALENDAR, 'a', query);
    await list();
    const { data, digest, nextSyncToken } = await occurrences({ ...window, digest: 'true' });
    expect(digest).toBe(plainDigest(data as never));
    expect(await occurrences({ syncToken: nextSyncToken, verify: 'true' })).toMatchObject({ digest, isVerified: true });
  });

  test('comes with every page behind a sync token, and is compared on the last', async () => {
    const { nextSyncToken: syncToken } = await list({ digest: 'true' });
    for (const id of ['a', 'b', 'c']) await change(id);
    const first = await list({ syncToken, verify: 'true', limit: '2' });
    expect(first).not.toHaveProperty('isVerified');
    const last = await list({ pageToken: first.nextPageToken, syncToken, verify: 'true' });
    expect(last).toMatchObject({ digest: plainDigest(await present()), isVerified: true });
    expect(await list({ pageToken: first.nextPageToken })).toMatchObject({ isVerified: true });
  });
});

describe('verify', () => {
  test('tells the digest of the full read where a difference has missed a change', async () => {
    const { nextSyncToken } = await list({ digest: 'true' });
    await change('b');
    const { mirror } = world.storage;
    const { readTouched } = mirror;
    mirror.readTouched = async () => [];
    const missed = await list({ syncToken: nextSyncToken, verify: 'true' });
    mirror.readTouched = readTouched;
    const digest = plainDigest(await present());
    expect(missed).toMatchObject({ data: [], digest, isVerified: false });
    // The client has found that its copy differs. The digest goes on from what is true.
    await change('c');
    expect(await list({ syncToken: missed.nextSyncToken, verify: 'true' })).toMatchObject({ isVerified: true });
  });

  const refusal = {
    code: 'InvalidRequest',
    details: [{ path: 'verify', message: 'must come with the syncToken of a list that was read with digest=true' }],
  };

  test('is refused without a sync token whose list has a digest', async () => {
    await expect(list({ verify: 'true' })).rejects.toMatchObject(refusal);
    await expect(list({ verify: 'true', digest: 'true' })).rejects.toMatchObject(refusal);
    const { nextSyncToken } = await list();
    await expect(list({ verify: 'true', syncToken: nextSyncToken })).rejects.toMatchObject(refusal);
    await expect(list({ verify: 'maybe' })).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'verify' }],
    });
  });

  test.each([
    [{}, { digest: 'true' }, 'digest'],
    [{ digest: 'true' }, { digest: 'false' }, 'digest'],
    [{ digest: 'true' }, { verify: 'true' }, 'verify'],
  ])('a page token of a list %j contradicts %j', async (asked, then, path) => {
    const { nextPageToken } = await list({ limit: '2', ...asked });
    const page = list({ pageToken: nextPageToken, ...then });
    await expect(page).rejects.toMatchObject({ code: 'InvalidPageToken', details: [{ path }] });
  });

  test.each([
    [{}, { digest: 'true' }],
    [{ digest: 'true' }, { digest: 'false' }],
  ])('a sync token of a list %j contradicts %j', async (asked, then) => {
    const { nextSyncToken } = await list(asked);
    const page = list({ syncToken: nextSyncToken, ...then });
    await expect(page).rejects.toMatchObject({ code: 'SyncTokenMismatch', details: [{ path: 'digest' }] });
  });
});
