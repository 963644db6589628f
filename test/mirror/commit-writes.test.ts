import { seededRandom } from '@kalends/conformance';
import { type Commit, type ItemWrite, MAX_COMMIT_WRITES } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommitOptions, commitWrites } from '../../src/mirror/commit-writes.ts';
import { eventWrite } from '../../src/mirror/stored-event.ts';
import { fakeEvent } from './fake-events.ts';
import { KEY, type SyncWorld, syncWorld } from './sync-world.ts';

let world: SyncWorld;
let commits: Commit[];
beforeEach(async () => {
  world = await syncWorld();
  await world.storage.mirror.ensure(KEY, { at: 1, tag: 't', timeZone: 'UTC' });
  commits = [];
});
afterEach(() => world.close());

const writesOf = (count: number): readonly ItemWrite[] =>
  Array.from({ length: count }, (_, index) => eventWrite(fakeEvent(`e${index}`), 1));

function commit(count: number, options: Partial<CommitOptions> = {}) {
  const { mirror } = world.storage;
  const recording: typeof mirror = {
    ...mirror,
    commit: (key, each) => {
      commits.push(each);
      return mirror.commit(key, each);
    },
  };
  return commitWrites(recording, seededRandom(1), KEY, writesOf(count), { basedOn: 0, at: 5, ...options });
}

const sizes = () => commits.map(({ writes }) => writes.length);

test('writes are committed in parts of the greatest size, in order', async () => {
  const { revision, changed } = await commit(2 * MAX_COMMIT_WRITES + 1);
  expect(sizes()).toEqual([MAX_COMMIT_WRITES, MAX_COMMIT_WRITES, 1]);
  expect(commits.flatMap(({ writes }) => writes)).toEqual(writesOf(2 * MAX_COMMIT_WRITES + 1));
  expect([revision, changed.length]).toEqual([3, 2 * MAX_COMMIT_WRITES + 1]);
});

test('as many writes as one commit takes are one commit, and none are one too', async () => {
  await commit(MAX_COMMIT_WRITES);
  await commit(0);
  expect(sizes()).toEqual([MAX_COMMIT_WRITES, 0]);
});

test('marks of the whole batch are stored with its last part only', async () => {
  await commit(MAX_COMMIT_WRITES + 1, { providerToken: 'token', complete: true, reread: ['x'] });
  const marks = commits.map(({ providerToken, complete, reread }) => [providerToken, complete, reread]);
  expect(marks).toEqual([
    [undefined, undefined, undefined],
    ['token', true, ['x']],
  ]);
});

test('every part is fenced by the lease, and goes by the same state and time', async () => {
  const lease = await world.storage.leases.claim('pull', 60_000);
  const fence = { name: 'pull', epoch: lease?.epoch ?? 0 };
  await commit(MAX_COMMIT_WRITES + 1, { lease: fence });
  const parts = commits.map(({ lease, basedOn, at }) => ({ lease, basedOn, at }));
  expect(parts).toEqual(Array(2).fill({ lease: fence, basedOn: 0, at: 5 }));
  await expect(commit(1, { lease: { ...fence, epoch: fence.epoch + 1 } })).rejects.toMatchObject({ code: 'Conflict' });
});

test('every part announces its changes, and only the last announces a gap', async () => {
  const notify = { eventType: 'calendar.event.unknown', messageId: () => 'msg', always: true } as const;
  await commit(MAX_COMMIT_WRITES + 1, { notify });
  expect(commits.map((each) => [each.notify?.eventType, each.notify?.always])).toEqual([
    ['calendar.event.unknown', undefined],
    ['calendar.event.unknown', true],
  ]);
  commits.length = 0;
  await commit(MAX_COMMIT_WRITES + 1);
  expect(commits.map((each) => each.notify)).toEqual([undefined, undefined]);
});
