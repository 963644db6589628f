import type { EventChange, ItemVersion, ItemWrite, ProviderEvent } from '../ports/index.ts';
import { createBreather } from './breathe.ts';
import { recurrenceSize } from './compiled-masters.ts';
import { type LocalRecordOptions, spareLocal } from './local-records.ts';
import { findMovedSeries } from './moved-series.ts';
import { deletion, eventWrite, groupIdOf } from './stored-event.ts';

/** Hashing an object and working out its range costs about this much. */
const STEPS_PER_OBJECT = 20;

/** Serializing and hashing so many characters of a description costs about one step. */
const CHARACTERS_PER_STEP = 500;

/** Reading so many characters of a recurrence costs as much. */
const DATE_CHARACTERS_PER_STEP = 150;

/** What a batch of changes means for the mirror. */
export interface PlannedChanges {
  /** Each item once: of several mentions the last one counts. */
  readonly writes: readonly ItemWrite[];
  /** Provider ids of objects that have to be read again. */
  readonly rereads: readonly string[];
}

interface Plan {
  readonly writes: Map<string, ItemWrite>;
  /** Ids of planned items by group. */
  readonly planned: Map<string, string[]>;
  readonly rereads: Set<string>;
  readonly options: PlanOptions;
}

export interface PlanOptions extends LocalRecordOptions {
  /** Lane in which the work takes turns of the event loop: the application. */
  readonly lane: string;
  readonly mappingVersion: number;
  /** Reads groups as the mirror has them now. */
  readonly readGroups: (groupIds: readonly string[]) => Promise<readonly ItemVersion[]>;
  /** Whether a master with other slots makes us ask for its exceptions. A full listing has its sweep for that. */
  readonly followsMasters: boolean;
}

/** Turns provider changes into writes. */
export async function planChanges(changes: readonly EventChange[], options: PlanOptions): Promise<PlannedChanges> {
  const plan: Plan = { writes: new Map(), planned: new Map(), rereads: new Set(), options };
  const moved = options.followsMasters ? await findMovedSeries(changes, options.readItems) : new Set<string>();
  const known = await readWholeGroups(changes, plan, moved);
  const breathe = createBreather(options.lane);
  for (const change of changes) {
    // Before and not after: the provider's page has been read in the same turn.
    const pause = breathe(objectsOf(change).reduce((steps, event) => steps + stepsFor(event), 1));
    if (pause !== undefined) await pause;
    planChange(plan, change, known, moved);
  }
  await spareLocal(plan.writes, known, options);
  return { writes: [...plan.writes.values()], rereads: [...plan.rereads] };
}

function objectsOf(change: EventChange): readonly ProviderEvent[] {
  if (change.kind === 'series') return [change.master, ...change.exceptions];
  return change.kind === 'event' ? [change.event] : [];
}

function stepsFor({ content }: ProviderEvent): number {
  if (content === null) return STEPS_PER_OBJECT;
  const ofRecurrence = recurrenceSize(content) / DATE_CHARACTERS_PER_STEP;
  return STEPS_PER_OBJECT + content.description.length / CHARACTERS_PER_STEP + ofRecurrence;
}

/** Items of the groups that a change replaces or removes whole. */
async function readWholeGroups(
  changes: readonly EventChange[],
  plan: Plan,
  moved: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly ItemVersion[]>> {
  const groupIds = changes.flatMap((change) => {
    if (change.kind === 'series') return [groupIdOf(change.master)];
    if (change.kind === 'deleted') return [change.providerEventId];
    const id = change.kind === 'event' ? change.event.providerEventId : '';
    return change.kind === 'event' && (isGone(change.event) || moved.has(id)) ? [id] : [];
  });
  if (groupIds.length === 0) return new Map();
  const groups = new Map<string, ItemVersion[]>();
  for (const item of await plan.options.readGroups([...new Set(groupIds)])) addTo(groups, item.groupId, item);
  return groups;
}

function addTo<Item>(groups: Map<string, Item[]>, groupId: string, item: Item): void {
  const group = groups.get(groupId);
  if (group === undefined) groups.set(groupId, [item]);
  else group.push(item);
}

function planChange(
  plan: Plan,
  change: EventChange,
  known: ReadonlyMap<string, readonly ItemVersion[]>,
  moved: ReadonlySet<string>,
): void {
  switch (change.kind) {
    case 'reread':
      plan.rereads.add(change.providerEventId);
      return;
    case 'event':
      if (isGone(change.event)) removeGroup(plan, change.event.providerEventId, known);
      else if (moved.has(change.event.providerEventId)) followMaster(plan, change.event, known);
      else write(plan, change.event);
      return;
    case 'deleted':
      removeGroup(plan, change.providerEventId, known);
      return;
    case 'series': {
      removeGroup(plan, groupIdOf(change.master), known);
      for (const event of [change.master, ...change.exceptions]) write(plan, event);
    }
  }
}

/** A cancelled single event of which nothing is left is a deleted one. */
function isGone(event: ProviderEvent): boolean {
  return event.isCancelled && event.content === null && event.seriesId === null;
}

function write(plan: Plan, event: ProviderEvent): void {
  put(plan, eventWrite(event, plan.options.mappingVersion));
}

function put(plan: Plan, item: ItemWrite): void {
  // Taken out first, so that the map keeps the order of last mention.
  if (!plan.writes.delete(item.itemId)) addTo(plan.planned, item.groupId, item.itemId);
  plan.writes.set(item.itemId, item);
}

function removeGroup(plan: Plan, groupId: string, known: ReadonlyMap<string, readonly ItemVersion[]>): void {
  const planned = plan.planned.get(groupId) ?? [];
  const stored = (known.get(groupId) ?? []).map(({ itemId }) => itemId);
  for (const itemId of new Set([groupId, ...stored, ...planned])) {
    put(plan, deletion(itemId, groupId, plan.options.mappingVersion));
  }
}

/** A master whose slots have moved: its exceptions are asked for, or gone where nothing recurs any more. */
function followMaster(plan: Plan, master: ProviderEvent, known: ReadonlyMap<string, readonly ItemVersion[]>): void {
  const id = master.providerEventId;
  if (master.content?.recurrence === null) removeGroup(plan, id, known);
  else if ((known.get(id) ?? []).some(({ itemId }) => itemId !== id)) plan.rereads.add(id);
  write(plan, master);
}
