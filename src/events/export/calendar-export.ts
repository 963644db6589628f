import type { CalendarExport } from '../../engine-interface.ts';
import { printCalendar } from '../../icalendar/index.ts';
import { contentHash, type MirrorSnapshot } from '../../mirror/index.ts';
import type { MirrorStore } from '../../ports/index.ts';
import { DAY_MS } from '../../zones/index.ts';
import { printableGroups } from './printable-groups.ts';

/** Raised with each change of what an export or a feed prints of the same events. */
const EXPORT_VERSION = 4;

/** Returns a calendar as iCalendar text, as of a snapshot. */
export async function exportCalendar(
  store: MirrorStore,
  snapshot: MirrorSnapshot,
  { name, mappingVersion }: { readonly name: string; readonly mappingVersion: number },
): Promise<CalendarExport> {
  const { state, syncedAt, pollEveryMs } = snapshot;
  const fromMs = await printedFrom(store, [snapshot]);
  return {
    name,
    etag: `"${exportHash([snapshot], [name, mappingVersion, fromMs])}"`,
    syncedAt,
    pollEveryMs,
    text: printCalendar(printableGroups(store, snapshot), { name, timeZone: state.timeZone, fromMs }),
  };
}

/** The slot of an occurrence that was moved lies before it, hardly by more; the slot has a zone too. */
const MOVED_MS = 366 * DAY_MS;

/** Returns an instant from which on the time zones of calendars are printed: the beginning of the year before their first event. */
export async function printedFrom(
  store: MirrorStore,
  snapshots: readonly Pick<MirrorSnapshot, 'key'>[],
): Promise<number> {
  const starts = await Promise.all(snapshots.map(({ key }) => store.findFirstStart(key)));
  const known = starts.filter((start) => start !== null);
  // Without an event no zone is printed.
  const first = known.length === 0 ? 0 : Math.min(...known);
  return Date.UTC(new Date(first - MOVED_MS).getUTCFullYear(), 0, 1);
}

/** Returns a hash that changes with the events of the snapshots, and with whatever else is printed. */
export function exportHash(
  snapshots: readonly Pick<MirrorSnapshot, 'key' | 'state'>[],
  more: readonly unknown[],
): string {
  const places = snapshots.map(({ key, state: { revision, tag, timeZone } }) => {
    const { applicationId, accountId, calendarId } = key;
    return [applicationId, accountId, calendarId, revision, tag, timeZone];
  });
  return contentHash([EXPORT_VERSION, places, more]);
}
