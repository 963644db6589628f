import { manualClock } from '@kalends/conformance';
import type { Activity } from 'kalends/model';
import type { AuditRow, Committed, Logger } from 'kalends/ports';
import { expect, it, onTestFinished } from 'vitest';
import { createActivityFeed } from '../../src/activity/index.ts';

const PULL = {
  type: 'pull.ended',
  applicationId: 'app_1',
  endUserAccountId: 'acc_1',
  calendarId: null,
  outcome: 'ok',
  changed: 3,
  durationMs: 12,
  errorCode: null,
} as const;

const ENTRY: AuditRow = {
  id: 'aud_1',
  at: 5,
  applicationId: null,
  actorType: 'admin',
  actorId: 'ops@example.com',
  address: '192.0.2.7',
  action: 'apiKey.revoked',
  target: 'key_1',
  changed: ['name'],
};

function world() {
  const clock = manualClock(Date.UTC(2027, 0, 2, 3, 4, 5, 6));
  const watching = new Set<(change: Committed) => void>();
  const logged: unknown[] = [];
  const error: Logger['error'] = (message, fields) => void logged.push([message, fields?.['error']]);
  const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error };
  const commits = {
    subscribe(listener: (change: Committed) => void) {
      watching.add(listener);
      return () => void watching.delete(listener);
    },
  };
  const commit = (change: Committed) => {
    for (const listener of watching) listener(change);
  };
  return { feed: createActivityFeed({ commits, clock, logger }), watching, logged, commit };
}

function heard(feed: ReturnType<typeof world>['feed']) {
  const activities: Activity[] = [];
  return { activities, stop: feed.subscribe((activity) => activities.push(activity)) };
}

it('tells every listener, with the time, until it is taken off', () => {
  const { feed } = world();
  feed.tell(PULL);
  const [first, second] = [heard(feed), heard(feed)];
  feed.tell(PULL);
  first.stop();
  first.stop();
  feed.tell(PULL);
  expect(first.activities).toEqual([{ ...PULL, at: '2027-01-02T03:04:05.006Z' }]);
  expect(second.activities).toHaveLength(2);
});

it('logs a listener that throws, and goes on with the others', () => {
  const { feed, logged } = world();
  feed.subscribe(() => {
    throw new Error('full');
  });
  const { activities } = heard(feed);
  expect(() => feed.tell(PULL)).not.toThrow();
  expect(activities).toHaveLength(1);
  expect(logged).toEqual([['a listener of the activity failed', expect.stringContaining('full')]]);
});

it('logs an asynchronous listener that fails, whose rejection would end the process', async () => {
  const { feed, logged } = world();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  feed.subscribe(async () => Promise.reject(new Error('full')));
  feed.tell(PULL);
  // Rejections without a handler are known after the microtasks of this turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
  expect(logged).toEqual([['a listener of the activity failed', expect.stringContaining('full')]]);
});

it('lets no listener change what another one hears', () => {
  const { feed } = world();
  feed.subscribe((activity) => {
    expect(() => {
      activity.at = 'never';
    }).toThrow(TypeError);
  });
  const { activities } = heard(feed);
  feed.tell(PULL);
  expect(activities[0]?.at).toBe('2027-01-02T03:04:05.006Z');
});

it('lets a listener take itself off, and another one begin, while it is told', () => {
  const { feed } = world();
  const late: Activity[] = [];
  const stop = feed.subscribe(() => {
    stop();
    feed.subscribe((activity) => late.push(activity));
  });
  feed.tell(PULL);
  expect(late).toEqual([]);
  feed.tell(PULL);
  expect(late).toHaveLength(1);
});

it('watches the commits of the storage only while it has listeners', () => {
  const { feed, watching } = world();
  expect(watching.size).toBe(0);
  const [first, second] = [heard(feed), heard(feed)];
  expect(watching.size).toBe(1);
  first.stop();
  expect(watching.size).toBe(1);
  second.stop();
  expect(watching.size).toBe(0);
});

it('tells of commits by ids and names alone', () => {
  const { feed, commit } = world();
  const { activities } = heard(feed);
  const of = { applicationId: 'app_1' };
  commit({ kind: 'audit', entry: ENTRY });
  commit({ kind: 'message', message: { ...of, id: 'msg_1', targetId: 'whe_1', eventType: 'enduseraccount.created' } });
  commit({ kind: 'account-status', ...of, accountId: 'acc_1', status: 'EXPIRED' });
  const at = '2027-01-02T03:04:05.006Z';
  const audit = { entryId: 'aud_1', actorType: 'admin', action: 'apiKey.revoked', target: 'key_1' };
  const message = { messageId: 'msg_1', eventType: 'enduseraccount.created', receiverId: 'whe_1' };
  expect(activities).toEqual([
    { type: 'audit.written', at, applicationId: null, ...audit },
    { type: 'message.enqueued', at, ...of, ...message },
    { type: 'account.status.changed', at, ...of, endUserAccountId: 'acc_1', status: 'EXPIRED' },
  ]);
});

it('says once that it ends, to those that listen and to those that come later', () => {
  const { feed, watching, logged } = world();
  const ended: string[] = [];
  const { activities } = heard(feed);
  feed.subscribe(() => undefined, { ended: () => void ended.push('first') });
  feed.subscribe(() => undefined, {
    ended: () => {
      throw new Error('gone');
    },
  });
  const stop = feed.subscribe(() => undefined, { ended: () => void ended.push('stopped') });
  stop();
  feed.close();
  feed.close();
  feed.tell(PULL);
  feed.subscribe(() => undefined, { ended: () => void ended.push('late') })();
  expect([activities, watching.size, ended, logged.length]).toEqual([[], 0, ['first', 'late'], 1]);
});
