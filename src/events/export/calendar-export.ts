import type { CalendarExport } from '../../engine-interface.ts';
import { printCalendar } from '../../icalendar/index.ts';
import { contentHash, type MirrorSnapshot } from '../../mirror/index.ts';
import type { MirrorStore } from '../../ports/index.ts';
import { printableGroups } from './printable-groups.ts';

/** Raised with each change of what an export prints of the same events. */
const EXPORT_VERSION = 1;

/** Returns a calendar as iCalendar text, as of a snapshot. */
export function exportCalendar(
  store: MirrorStore,
  snapshot: MirrorSnapshot,
  { name, mappingVersion }: { readonly name: string; readonly mappingVersion: number },
): CalendarExport {
  const { state, syncedAt, pollEveryMs } = snapshot;
  return {
    name,
    etag: `"${exportHash([snapshot], [name, mappingVersion])}"`,
    syncedAt,
    pollEveryMs,
    text: printCalendar(printableGroups(store, snapshot), { name, timeZone: state.timeZone }),
  };
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
