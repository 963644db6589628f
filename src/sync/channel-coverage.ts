import {
  type AccountRow,
  type Clock,
  type CollectionKey,
  KalendsError,
  type Random,
  type Storage,
} from '../ports/index.ts';
import { createId, randomHex } from '../runtime/index.ts';

const CALENDAR_PAGE = 250;
/** A calendar that was opened for being read often keeps its channel when it has been read within this time. */
const READ_COVER_MS = 86_400_000;

/** What wants to be covered by channels, and the word to subscribers when it was not. */
export interface ChannelCoverage {
  /** Ids of the account's calendars, as mirrored. */
  listCalendarIds(account: AccountRow): Promise<readonly string[]>;
  /** Whether an enabled subscription covers the collection. */
  isSubscribed(key: CollectionKey): Promise<boolean>;
  /** Whether readers alone are reason enough to keep a channel open. */
  isRead(key: CollectionKey): Promise<boolean>;
  /** Tells subscribers once that changes may have gone unnoticed for a while. */
  announceGap(key: CollectionKey): Promise<void>;
}

export function createChannelCoverage(dependencies: {
  readonly storage: Pick<Storage, 'mirror' | 'schedule' | 'subscriptions'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly pushForReads: boolean;
  /** Called after a commit that enqueued messages. */
  readonly enqueued: () => void;
}): ChannelCoverage {
  const { storage, clock, random, pushForReads, enqueued } = dependencies;
  return {
    async listCalendarIds(account) {
      const key = { applicationId: account.applicationId, accountId: account.id, calendarId: null };
      const state = await storage.mirror.find(key);
      if (state === undefined) return [];
      const ids: string[] = [];
      for (;;) {
        const after = ids.at(-1);
        const page = await storage.mirror.listGroups(key, {
          asOf: state.revision,
          limit: CALENDAR_PAGE,
          ...(after === undefined ? {} : { after }),
        });
        ids.push(...page);
        if (page.length < CALENDAR_PAGE) return ids;
      }
    },
    async isSubscribed({ applicationId, accountId, calendarId }) {
      return (await storage.subscriptions.countCovering(applicationId, accountId, calendarId)) > 0;
    },
    async isRead(key) {
      if (!pushForReads || key.calendarId === null) return false;
      const { lastReadAt } = await storage.schedule.get(key);
      return lastReadAt !== null && clock.now() - lastReadAt < READ_COVER_MS;
    },
    async announceGap(key) {
      const state = await storage.mirror.find(key);
      if (state === undefined) return;
      try {
        await storage.mirror.commit(key, {
          writes: [],
          basedOn: state.writes,
          at: clock.now(),
          tag: randomHex(random),
          notify: { eventType: 'calendar.event.unknown', messageId: () => createId(random, 'msg'), always: true },
        });
      } catch (error) {
        // The calendar has gone meanwhile, and its subscribers with it.
        if (!KalendsError.isInstance(error) || error.code !== 'NotFound') throw error;
      }
      enqueued();
    },
  };
}
