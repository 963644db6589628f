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
/** A channel opened for frequent reads stays open for this long after the calendar's last read. */
const READ_COVER_MS = 86_400_000;

/** Decides which collections need a channel, and announces gaps in coverage. */
export interface ChannelCoverage {
  /** Lists the ids of the account's calendars, as mirrored. */
  listCalendarIds(account: AccountRow): Promise<readonly string[]>;
  /** Returns whether an enabled subscription covers the collection. */
  isSubscribed(key: CollectionKey): Promise<boolean>;
  /** Returns whether reads alone justify keeping a channel open. */
  isRead(key: CollectionKey): Promise<boolean>;
  /** Enqueues one `calendar.event.unknown` for each subscriber: changes may have been missed for a while. */
  announceGap(key: CollectionKey, gap: { readonly late: boolean }): Promise<void>;
}

export function createChannelCoverage({
  storage,
  clock,
  random,
  pushForReads,
  enqueued,
}: {
  readonly storage: Pick<Storage, 'mirror' | 'schedule' | 'subscriptions'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly pushForReads: boolean;
  /** Called after a commit that enqueued messages. */
  readonly enqueued: () => void;
}): ChannelCoverage {
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
    async announceGap(key, { late }) {
      const state = await storage.mirror.find(key);
      if (state === undefined) return;
      try {
        await storage.mirror.commit(key, {
          writes: [],
          basedOn: state.writeCount,
          at: clock.now(),
          tag: randomHex(random),
          notify: { eventType: 'calendar.event.unknown', messageId: () => createId(random, 'msg'), always: true, late },
        });
      } catch (error) {
        // The calendar and its subscriptions have been deleted since.
        if (!KalendsError.isInstance(error) || error.code !== 'NotFound') throw error;
      }
      enqueued();
    },
  };
}
