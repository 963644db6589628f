import { createYieldToEventLoop } from '../../runtime/index.ts';
import { type AnswerReader, recordsOf } from '../read/answer-reader.ts';
import type { EventFilters } from '../read/event-filters.ts';
import type { EventGroup } from '../read/event-group.ts';
import type { EventRecord, GroupPosition } from '../read/group-records.ts';
import { createPageSize, type PageLimit } from './page-size.ts';

/** Part of an answer, and where the rest begins; undefined when there is no rest. */
export interface RecordPage<Position> {
  readonly records: readonly EventRecord[];
  readonly next: Position | undefined;
}

/** The last record of a page that is in no particular order, or the place behind all records of its group. */
export interface ListPosition extends GroupPosition {
  readonly groupId: string;
}

/** Order of the place behind every record of a group: the group need not be read again. */
const BEHIND = Number.MAX_SAFE_INTEGER;

/** Most groups are tested by a few slots. */
const STEPS_PER_GROUP = 20;

/** A slot of hundreds of rules takes many times as long as one of a single rule. */
const RULES_PER_STEP = 20;

/** One page, group by group: nothing before the position and nothing behind the page is computed. */
export async function readPageByGroup(
  reader: AnswerReader,
  filters: EventFilters,
  limit: PageLimit,
  position: ListPosition | undefined,
): Promise<RecordPage<ListPosition>> {
  const records: EventRecord[] = [];
  const size = createPageSize(limit);
  const yieldToEventLoop = createYieldToEventLoop(reader.lane);
  let next: ListPosition | undefined;
  const isFull = async (group: EventGroup, after?: GroupPosition) => {
    const rules = group.master?.compiled.series.recurrence.rules.length ?? 0;
    const pause = yieldToEventLoop(STEPS_PER_GROUP);
    if (pause !== undefined) await pause;
    for (const record of recordsOf(group, filters, after)) {
      if (size.isFull()) {
        next = placeBehind(records.at(-1), group);
        return true;
      }
      records.push(record);
      size.add(record);
      const pause = yieldToEventLoop(1 + rules / RULES_PER_STEP);
      if (pause !== undefined) await pause;
    }
    return false;
  };
  if (position !== undefined && position.order < BEHIND) {
    const [group] = await reader.read([position.groupId]);
    if (group !== undefined && (await isFull(group, position))) return { records, next };
  }
  // Most groups have one record: as a rule the first chunk fills the page, and shows whether there is another.
  for await (const groups of reader.chunks(filters, position?.groupId, limit.records + 1)) {
    for (const group of groups) if (await isFull(group)) return { records, next };
  }
  return { records, next };
}

/** @param following group of the record that comes next */
function placeBehind(last: EventRecord | undefined, following: EventGroup): ListPosition | undefined {
  if (last === undefined) return undefined;
  const { group, order, id } = last;
  const { groupId } = group;
  return groupId === following.groupId ? { groupId, order, id } : { groupId, order: BEHIND, id: '' };
}
