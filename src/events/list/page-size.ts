import { recurrenceSize } from '../../mirror/index.ts';
import type { ItemVersion } from '../../ports/index.ts';
import type { GroupItem } from '../read/event-group.ts';
import type { EventRecord } from '../read/group-records.ts';

/** Where a page ends: at so many records, and at the one that reaches so many characters of content. */
export interface PageLimit {
  readonly records: number;
  readonly characters: number;
}

/**
 * Characters of content on a page. Occurrences repeat the content of their series: a thousand records of a usual size are far
 * below, and those of one long text may not fill the memory.
 */
export const PAGE_CHARACTERS = 8_000_000;

/** Counts the records of a page and, about, their characters. */
export interface PageSize {
  /** Whether the page ends here. An empty page never does. */
  isFull(): boolean;
  /** @param record undefined for one that shows no content */
  add(record: EventRecord | undefined): void;
}

export function createPageSize({ records, characters }: PageLimit): PageSize {
  /** Without recurrence, by version: most occurrences of a page are of few series. */
  const known = new Map<ItemVersion, number>();
  const ofItem = ({ version, event }: GroupItem): number => {
    const size = known.get(version) ?? textSize(version) - (event.content === null ? 0 : recurrenceSize(event.content));
    known.set(version, size);
    return size;
  };
  const sizeOf = (record: EventRecord): number => {
    if (record.kind === 'computed') return ofItem(record.master);
    if (record.shown !== undefined) return record.shown.text.length;
    const { item, group, content } = record;
    // A modified or cancelled occurrence may show what its series has.
    const borrowed = group.master === undefined || record.recurrenceId === null ? 0 : ofItem(group.master);
    return ofItem(item) + recurrenceSize(content) + borrowed;
  };
  let added = 0;
  let size = 0;
  return {
    isFull: () => added >= records || (added > 0 && size >= characters),
    add(record) {
      added += 1;
      if (record !== undefined) size += sizeOf(record);
    },
  };
}

/** Returns the first records of these that fit on a page. */
export function onePage(found: readonly EventRecord[], limit: PageLimit): readonly EventRecord[] {
  const size = createPageSize(limit);
  for (const [index, record] of found.entries()) {
    if (size.isFull()) return found.slice(0, index);
    size.add(record);
  }
  return found;
}

function textSize({ contentText, content }: ItemVersion): number {
  return (contentText ?? JSON.stringify(content)).length;
}
