import type { PrintableGroup } from '../../icalendar/index.ts';
import { printCalendar } from '../../icalendar/index.ts';
import type { MirrorSnapshot } from '../../mirror/index.ts';
import type { MirrorStore } from '../../ports/index.ts';
import { exportHash, printedFrom } from './calendar-export.ts';
import { distinctGroups } from './distinct-groups.ts';
import { type FeedDetail, printedGroups, shownGroup } from './feed-groups.ts';
import { printableGroups } from './printable-groups.ts';

/** How often a subscriber should ask again. */
const REFRESH_MINUTES = 60;

export interface FeedPrint {
  /** Changes with each change of the calendars, and so with each of the text. */
  readonly etag: string;
  /** The text in parts, made as they are asked for. */
  readonly text: AsyncIterable<string>;
}

/** Returns calendars as one iCalendar text, as of their snapshots. An event that several of them have is shown once. */
export async function printFeed(
  store: MirrorStore,
  snapshots: readonly Pick<MirrorSnapshot, 'key' | 'state'>[],
  { id, name, detail }: { readonly id: string; readonly name: string; readonly detail: FeedDetail },
): Promise<FeedPrint> {
  const fromMs = await printedFrom(store, snapshots);
  const timeZone = snapshots[0]?.state.timeZone ?? 'UTC';
  return {
    etag: `W/"${exportHash(snapshots, [id, name, detail, fromMs])}"`,
    text: printCalendar(shownGroups(store, snapshots, { id, detail }), {
      name,
      timeZone,
      fromMs,
      refreshMinutes: REFRESH_MINUTES,
      method: 'PUBLISH',
    }),
  };
}

async function* shownGroups(
  store: MirrorStore,
  snapshots: readonly Pick<MirrorSnapshot, 'key' | 'state'>[],
  feed: Parameters<typeof printedGroups>[1],
): AsyncGenerator<PrintableGroup, void, undefined> {
  // One calendar has each event once; the ids of a long one need no place.
  const distinct = snapshots.length > 1 ? distinctGroups() : (group: PrintableGroup) => [group];
  for (const snapshot of snapshots) {
    for await (const group of printableGroups(store, snapshot)) {
      for (const each of distinct(shownGroup(group, feed.detail), group.timesAt)) yield* printedGroups(each, feed);
    }
  }
}
