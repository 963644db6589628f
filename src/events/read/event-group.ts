import type { MasterSeries } from '../../mirror/index.ts';
import {
  compiledMasters,
  namedSlot,
  recurrenceSize,
  type ShownEvent,
  type StoredEvent,
  shownEvent,
  storedEvent,
} from '../../mirror/index.ts';
import type { EventContent, ItemVersion, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdMs } from '../../recurrence/index.ts';
import { createYieldToEventLoop } from '../../runtime/index.ts';

/** One stored object of a group, as of some revision. */
export interface GroupItem {
  readonly version: ItemVersion;
  readonly event: StoredEvent;
  /** Set where what an answer shows of the event can be cut out of the stored text. */
  readonly shown?: ShownEvent;
}

/** A single event, or a series master with its exceptions, or orphan instances. */
export interface EventGroup {
  readonly groupId: string;
  /** Zone in which all-day events happen. */
  readonly calendarZone: string;
  /** Ascending by id. */
  readonly items: readonly GroupItem[];
  /** The series master, with its content at hand. */
  readonly master: MasterItem | undefined;
  /** Overrides of single slots, ascending by slot. */
  readonly exceptions: readonly ExceptionItem[];
  /** Starts of the slots that exceptions override, in the unit of the series. */
  readonly overridden: ReadonlySet<number>;
}

/** Stored override of one slot, or an orphan instance. */
export interface ExceptionItem extends GroupItem {
  readonly event: StoredEvent & { readonly recurrenceId: RecurrenceId };
}

export interface MasterItem extends GroupItem {
  readonly content: EventContent;
  readonly compiled: MasterSeries;
}

/** Assembles the items of one group. */
export function eventGroup(groupId: string, versions: readonly ItemVersion[], calendarZone: string): EventGroup {
  const [first] = versions;
  const shown = first !== undefined && versions.length === 1 ? shownEvent(first) : undefined;
  if (shown !== undefined) {
    const items = [new ShownItem(shown)];
    return { groupId, calendarZone, items, master: undefined, exceptions: [], overridden: NO_SLOTS };
  }
  const items = versions.map((version) => ({ version, event: storedEvent(version) }));
  const exceptions = items
    .filter(isException)
    .sort((a, b) => recurrenceIdMs(a.event.recurrenceId) - recurrenceIdMs(b.event.recurrenceId));
  const master = masterOf(items, groupId);
  const overridden = new Set(
    master === undefined
      ? []
      : overriddenStarts(
          master.compiled,
          exceptions.map(({ event }) => event.recurrenceId),
        ),
  );
  return { groupId, calendarZone, items, master, exceptions, overridden };
}

const NO_SLOTS: ReadonlySet<number> = new Set();

/** A single event whose content is not parsed before it is asked for. A page has hundreds: a class makes the least of each. */
class ShownItem implements GroupItem {
  readonly version: ItemVersion;
  readonly shown: ShownEvent;
  #event: StoredEvent | undefined;

  constructor(shown: ShownEvent) {
    this.version = shown.version;
    this.shown = shown;
  }

  get event(): StoredEvent {
    this.#event ??= storedEvent(this.version);
    return this.#event;
  }
}

export function isException(item: GroupItem): item is ExceptionItem {
  return item.event.recurrenceId !== null;
}

/** Reading a series' rule costs as much as so many steps: up to two milliseconds when it is dense. */
const STEPS_PER_SERIES = 100;
/** Reading so many characters of its lines costs as much as a step. */
const CHARACTERS_PER_STEP = 200;

/** Groups what `readGroups` returned, in its order, in turns. */
export async function eventGroups(
  versions: readonly ItemVersion[],
  calendarZone: string,
  lane: string,
): Promise<readonly EventGroup[]> {
  const groups: EventGroup[] = [];
  const yieldToEventLoop = createYieldToEventLoop(lane);
  let run: ItemVersion[] = [];
  for (const [index, version] of versions.entries()) {
    run.push(version);
    if (versions[index + 1]?.groupId === version.groupId) continue;
    const group = eventGroup(version.groupId, run, calendarZone);
    groups.push(group);
    const pause = yieldToEventLoop(stepsOf(group.master) + run.length);
    if (pause !== undefined) await pause;
    run = [];
  }
  return groups;
}

function stepsOf(master: MasterItem | undefined): number {
  return master === undefined ? 0 : STEPS_PER_SERIES + recurrenceSize(master.content) / CHARACTERS_PER_STEP;
}

function masterOf(items: readonly GroupItem[], groupId: string): MasterItem | undefined {
  const item = items.find(({ version }) => version.itemId === groupId);
  const content = item?.event.content;
  if (item === undefined || content === null || content === undefined || content.recurrence === null) return undefined;
  return { ...item, content, compiled: compiledMasters.get(item.version.etag, content) };
}

/** Returns the starts of the slots that original starts name, in the unit of the series. */
export function overriddenStarts(series: MasterSeries, originalStarts: readonly RecurrenceId[]): readonly number[] {
  return originalStarts.flatMap((originalStart) => namedSlot(series, originalStart)?.startMs ?? []);
}
