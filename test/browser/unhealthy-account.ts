import type { CollectionKey, FinishedPull, Storage } from 'kalends/ports';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Gives an account calendars in every state of sync, none of which is due. */
export async function fillUnhealthyAccount(
  storage: Storage,
  account: Omit<CollectionKey, 'calendarId'>,
): Promise<void> {
  const { schedule, channels, mirror } = storage;
  const now = Date.now();
  const later = now + 30 * DAY;
  const key = (calendarId: string | null): CollectionKey => ({ ...account, calendarId });
  const polls = (everyMs: number) => ({ everyMs, readEveryMs: null, unannouncedAt: null });
  const read = (ago: number, everyMs: number) => ({
    syncedAt: now - ago,
    failures: 0,
    dueAt: later,
    polls: polls(everyMs),
  });
  const finish = async (pulled: CollectionKey, result: FinishedPull) => {
    await mirror.ensure(pulled, { at: now, tag: 'tag-0', timeZone: 'UTC' });
    await schedule.finish(pulled, result);
  };

  await finish(key(null), read(4 * 60_000, 6 * HOUR));
  await finish(key('pushed@group.example'), read(12_000, 6 * HOUR));
  const channel = { ...key('pushed@group.example'), id: 'chn_1', providerType: 'PROVIDER_A', kind: 'push' } as const;
  await channels.insert({
    ...channel,
    providerChannelId: 'channel',
    resourceId: 'resource',
    tokenHash: '',
    address: 'https://example.com/push',
    expiresAt: now + 2 * DAY,
    renewAt: later,
    createdAt: now,
  });
  await finish(key('polled@group.example'), read(90_000, 120_000));
  await finish(key('failing@group.example'), {
    ...read(3 * HOUR, 120_000),
    failures: 6,
    lastFailure: { code: 'ProviderUnavailable', at: now - 5 * 60_000 },
  });
  await finish(key('gone@group.example'), read(HOUR, 120_000));
  await schedule.noteMissing(key('gone@group.example'), now - 50 * 60_000);
  await schedule.dueBy(key('new@group.example'), later);

  const unreadable = key('unreadable@group.example');
  await finish(unreadable, read(30_000, 120_000));
  const state = await mirror.ensure(unreadable, { at: now, tag: 'tag-0', timeZone: 'UTC' });
  const found = ['one', 'two', 'three'].map((id) => ({
    objectId: id,
    groupId: id,
    isPart: false,
    reason: 'start.timeZone: must be a time zone',
  }));
  await mirror.commit(unreadable, {
    writes: [],
    basedOn: state.writeCount,
    at: now,
    tag: 'tag-1',
    unreadable: { found, readIds: [], readGroupIds: [] },
  });
}
