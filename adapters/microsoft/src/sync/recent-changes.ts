import { instantOfTimestamp } from '../events/event-times.ts';
import type { WireEvent } from '../events/event-wire.ts';
import { modifiedFrom } from '../events/modified-from.ts';
import type { SyncToken } from './sync-token.ts';

/**
 * Overlap of a search with the latest known change: changes may become visible slightly out of order, and two can have the
 * same time.
 */
const OVERLAP_MS = 60_000;

/** Most tags remembered; without its tag an event is read once more. */
const MAX_SEEN = 50;

/** A mark in Graph's own order of changes. */
export type ChangeMark = Pick<SyncToken, 'modifiedAt' | 'seen'>;

export const NO_MARK: ChangeMark = { modifiedAt: 0, seen: {} };

/** Returns the mark of a token for a request, which no time of change in the future may move beyond the request's own. */
export const markOf = ({ modifiedAt, seen }: SyncToken, requestedAt: number): ChangeMark => ({
  modifiedAt: Math.min(modifiedAt, requestedAt),
  seen,
});

const beginOf = (mark: ChangeMark): number => Math.max(0, mark.modifiedAt - OVERLAP_MS);

/** Returns the filter for everything changed since a mark. */
export const changedSince = (mark: ChangeMark): string => modifiedFrom(beginOf(mark));

/** Returns true for an event that the filter of a mark lets pass, and for one without a readable time. */
export function isRecent(mark: ChangeMark, wire: WireEvent): boolean {
  const at = instantOfTimestamp(wire.lastModifiedDateTime);
  return at === undefined || at >= beginOf(mark);
}

/** Returns true when this version of an event was seen before. */
export function isSeen(mark: ChangeMark, wire: WireEvent): boolean {
  const tag = providerTagOf(wire);
  return tag !== undefined && Object.hasOwn(mark.seen, wire.id) && mark.seen[wire.id] === tag;
}

/** Follows the latest changes among the events that pass. The mark stays at or before the time of the request. */
export function createChangeTracker(
  mark: ChangeMark,
  requestedAt: number,
): {
  note(wire: WireEvent): void;
  mark(): ChangeMark;
} {
  const recent = new Map<string, { readonly tag: string; readonly at: number }>();
  let latest = mark.modifiedAt;

  /** An import changes thousands within the overlap: the latest are kept. */
  function forgetOld(): void {
    for (const [id, { at }] of recent) if (at < latest - OVERLAP_MS) recent.delete(id);
    if (recent.size <= MAX_SEEN) return;
    const earliestFirst = [...recent].sort(([, a], [, b]) => a.at - b.at);
    for (const [id] of earliestFirst.slice(0, recent.size - MAX_SEEN)) recent.delete(id);
  }

  return {
    note(wire) {
      const tag = providerTagOf(wire);
      const at = instantOfTimestamp(wire.lastModifiedDateTime);
      if (tag === undefined || at === undefined) return;
      latest = Math.max(latest, Math.min(at, requestedAt));
      if (at >= latest - OVERLAP_MS) recent.set(wire.id, { tag, at });
      if (recent.size > 2 * MAX_SEEN) forgetOld();
    },
    mark() {
      forgetOld();
      const seen = [...recent].map(([id, { tag }]) => [id, tag] as const);
      return { modifiedAt: latest, seen: Object.fromEntries(seen) };
    },
  };
}

function providerTagOf(wire: WireEvent): string | undefined {
  return wire['@odata.etag'] ?? wire.changeKey ?? undefined;
}
