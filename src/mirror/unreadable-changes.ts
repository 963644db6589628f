import type {
  CalendarChange,
  CollectionKey,
  EventChange,
  Logger,
  ProviderEvent,
  UnreadableChanges,
  UnreadableObject,
  UnreadableWrite,
} from '../ports/index.ts';

/** Longest reason that is listed. */
const LONGEST_REASON = 500;

/** Returns what changes of events say about unreadable objects; undefined when they say nothing. */
export function unreadableOfEvents(changes: readonly EventChange[]): UnreadableChanges | undefined {
  /** By id: the last mention counts. */
  const found = new Map<string, UnreadableWrite>();
  const readIds: string[] = [];
  const readGroupIds: string[] = [];
  const find = (object: UnreadableWrite) => found.set(object.objectId, object);
  const read = (event: ProviderEvent) => {
    readIds.push(event.providerEventId);
    found.delete(event.providerEventId);
    if (event.unreadableParts !== undefined) find(partOf(event, event.unreadableParts));
  };
  for (const change of changes) {
    switch (change.kind) {
      case 'event':
        read(change.event);
        break;
      case 'series':
        readGroupIds.push(change.master.providerEventId);
        for (const event of [change.master, ...change.exceptions]) read(event);
        for (const object of change.unreadable ?? []) find(objectOf(object));
        break;
      case 'deleted':
        readIds.push(change.providerEventId);
        readGroupIds.push(change.providerEventId);
        break;
      case 'unreadable':
        find(objectOf(change));
        break;
      case 'reread':
        break;
    }
  }
  return changesOf([...found.values()], readIds, readGroupIds);
}

/** Returns what changes of a calendar list say about unreadable entries; undefined when they say nothing. */
export function unreadableOfCalendars(changes: readonly CalendarChange[]): UnreadableChanges | undefined {
  const found = changes.flatMap((change) =>
    change.kind === 'unreadable'
      ? [writeOf({ providerEventId: change.calendarId, seriesId: null, reason: change.reason }, false)]
      : [],
  );
  const readIds = changes.flatMap((change) => {
    if (change.kind === 'unreadable') return [];
    return [change.kind === 'calendar' ? change.calendar.id : change.calendarId];
  });
  return changesOf(found, readIds, []);
}

function changesOf(
  found: readonly UnreadableWrite[],
  readIds: readonly string[],
  readGroupIds: readonly string[],
): UnreadableChanges | undefined {
  if (found.length + readIds.length + readGroupIds.length === 0) return undefined;
  return { found, readIds, readGroupIds };
}

function objectOf(object: UnreadableObject): UnreadableWrite {
  return writeOf(object, false);
}

function partOf({ providerEventId, seriesId }: ProviderEvent, parts: readonly string[]): UnreadableWrite {
  return writeOf({ providerEventId, seriesId, reason: parts.join('; ') }, true);
}

function writeOf(
  { providerEventId, seriesId, reason }: Pick<UnreadableObject, 'providerEventId' | 'seriesId' | 'reason'>,
  isPart: boolean,
): UnreadableWrite {
  return {
    objectId: providerEventId,
    groupId: seriesId ?? providerEventId,
    isPart,
    reason: reason.slice(0, LONGEST_REASON),
  };
}

/** Logs the objects that were not on the list before. */
export function logSetAside(
  logger: Logger,
  key: CollectionKey,
  unreadable: UnreadableChanges | undefined,
  setAside: readonly string[],
): void {
  if (setAside.length === 0) return;
  const added = new Set(setAside);
  for (const { objectId, isPart, reason } of unreadable?.found ?? []) {
    if (!added.has(objectId)) continue;
    logger.warn(isPart ? 'part of an object cannot be read' : 'object set aside', { ...key, objectId, reason });
  }
}
