import type { CalendarEvent, Receiver, SyncHealth } from 'kalends/model';
import { ProblemError } from '../../api/problem.ts';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import type { PageOf } from '../../api/use-pages.ts';
import { accountsTexts } from '../../texts/en/accounts.ts';

const texts = accountsTexts.danger;
const PAGE_SIZE = 1_000;
/** A person does not decide by the exact number beyond it. */
const MOST_EVENTS = 10_000;

/** Loss that the deletion of an account means, in numbers. */
export interface Loss {
  readonly calendars: number;
  readonly subscriptions: number;
  /** Undefined where they cannot be counted now: those of an expired account are not shown. */
  readonly events: { readonly count: number; readonly hasMore: boolean } | undefined;
}

/** Counts what an account has: its calendars, their mirrored events, and its subscriptions. */
export async function readLoss(accountId: string): Promise<Loss> {
  const { collections } = await request<SyncHealth>({ path: ofApplication(`/accounts/${accountId}/syncHealth`) });
  const calendarIds = collections.flatMap(({ calendarId }) => (calendarId === null ? [] : [calendarId]));
  const [subscriptions, events] = await Promise.all([
    countSubscriptions(accountId),
    countEvents(accountId, calendarIds),
  ]);
  return { calendars: calendarIds.length, subscriptions, events };
}

/** Returns a loss in words. */
export function lossText({ calendars, subscriptions, events }: Loss): string {
  return texts.lost(
    texts.subscriptions(subscriptions),
    events === undefined ? texts.unknownEvents : texts.events(events.count, events.hasMore),
    texts.calendars(calendars),
  );
}

async function countSubscriptions(accountId: string): Promise<number> {
  let count = 0;
  let pageToken: string | null = null;
  do {
    const query = { limit: 250, pageToken: pageToken ?? undefined };
    const page: PageOf<Receiver> = await request({ path: ofApplication('/receivers'), query });
    count += page.data.filter(({ endUserAccountId }) => endUserAccountId === accountId).length;
    pageToken = page.nextPageToken;
  } while (pageToken !== null);
  return count;
}

async function countEvents(accountId: string, calendarIds: readonly string[]): Promise<Loss['events']> {
  let count = 0;
  try {
    for (const calendarId of calendarIds) {
      const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
      let pageToken: string | undefined;
      do {
        const page: { readonly data: readonly CalendarEvent[]; readonly nextPageToken?: string } = await request({
          path,
          query: { limit: PAGE_SIZE, pageToken },
        });
        count += page.data.length;
        pageToken = page.nextPageToken;
        if (count >= MOST_EVENTS) return { count, hasMore: true };
      } while (pageToken !== undefined);
    }
    return { count, hasMore: false };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
