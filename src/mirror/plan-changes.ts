import type { EventChange, ItemVersion, ItemWrite, ProviderEvent, UnreadableChanges } from '../ports/index.ts';
import { createYieldToEventLoop } from '../runtime/index.ts';
import { recurrenceSize } from './compiled-masters.ts';
import { keepLocalRecords, type LocalRecordOptions } from './local-records.ts';
import { findMovedSeries } from './moved-series.ts';
import { deletion, eventWrite, groupIdOf, storedEvent } from './stored-event.ts';
import { unreadableOfEvents } from './unreadable-changes.ts';

/** Cost of hashing an object and computing its range. */
const STEPS_PER_OBJECT = 20;

/** Characters of a description that cost one step to serialize and hash. */
const CHARACTERS_PER_STEP = 500;

/** Characters of a recurrence that cost one step to parse. */
const DATE_CHARACTERS_PER_STEP = 150;

/** The writes and re-reads that a batch of changes requires. */
export interface PlannedChanges {
  /** One write for each item: the last one that the changes contain. */
  readonly writes: readonly ItemWrite[];
  /** Provider ids of objects to re-read. */
  readonly rereads: readonly string[];
  /** Undefined when the changes say nothing about readable or unreadable objects. */
  readonly unreadable: UnreadableChanges | undefined;
}

interface Plan {
  readonly writes: Map<string, ItemWrite>;
  /** Ids of planned items by group. */
  readonly planned: Map<string, string[]>;
  readonly rereads: Set<string>;
  /** Provider ids that the changes name to be read again: what is stored of them stays until then. */
  readonly named: ReadonlySet<string>;
  readonly options: PlanOptions;
}

export interface PlanOptions extends LocalRecordOptions {
  /** Lane in which the work yields to the event loop: the application. */
  readonly lane: string;
  readonly mappingVersion: number;
  /** Reads the present items of groups. */
  readonly readGroups: (groupIds: readonly string[]) => Promise<readonly ItemVersion[]>;
  /** Whether to re-read the exceptions of a master whose slots changed. A full listing has its sweep for that. */
  readonly followsMasters: boolean;
}

/** Plans the writes that mirror a batch of provider changes. */
export async function planChanges(changes: readonly EventChange[], options: PlanOptions): Promise<PlannedChanges> {
  const named = new Set(changes.flatMap((change) => (change.kind === 'reread' ? [change.providerEventId] : [])));
  const plan: Plan = { writes: new Map(), planned: new Map(), rereads: new Set(), named, options };
  const moved = options.followsMasters ? await findMovedSeries(changes, options.readItems) : new Set<string>();
  const known = await readWholeGroups(changes, plan, moved);
  const yieldToEventLoop = createYieldToEventLoop(options.lane);
  for (const change of changes) {
    // Yield before the first step too: parsing the provider's page has used this turn.
    const pause = yieldToEventLoop(objectsOf(change).reduce((steps, event) => steps + stepsFor(event), 1));
    if (pause !== undefined) await pause;
    planChange(plan, change, known, moved);
  }
  await keepLocalRecords(plan.writes, known, options);
  return {
    writes: [...plan.writes.values()],
    rereads: [...plan.rereads],
    unreadable: unreadableOfEvents(changes),
  };
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

/** Reads the groups that a change replaces or removes as a whole. */
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
    case 'unreadable':
      // Its last good version stays.
      return;
    case 'event':
      if (isGone(change.event)) removeGroup(plan, change.event.providerEventId, known);
      else if (moved.has(change.event.providerEventId)) followMaster(plan, change.event, known);
      else write(plan, change.event);
      return;
    case 'deleted':
      removeGroup(plan, change.providerEventId, known, spareExceptions(plan, change, known));
      return;
    case 'series': {
      removeGroup(plan, groupIdOf(change.master), known);
      keepUnreadable(plan, change, known);
      for (const event of [change.master, ...change.exceptions]) write(plan, event);
    }
  }
}

/** Returns whether an event is deleted: a cancelled single event without content. */
function isGone(event: ProviderEvent): boolean {
  return event.isCancelled && event.content === null && event.seriesId === null;
}

function write(plan: Plan, event: ProviderEvent): void {
  put(plan, eventWrite(event, plan.options.mappingVersion));
}

function put(plan: Plan, item: ItemWrite): void {
  // Delete first, so that the map has the order of the last mentions.
  if (!plan.writes.delete(item.itemId)) addTo(plan.planned, item.groupId, item.itemId);
  plan.writes.set(item.itemId, item);
}

function removeGroup(
  plan: Plan,
  groupId: string,
  known: ReadonlyMap<string, readonly ItemVersion[]>,
  spared: ReadonlySet<string> = new Set(),
): void {
  const planned = plan.planned.get(groupId) ?? [];
  const stored = (known.get(groupId) ?? []).map(({ itemId }) => itemId);
  for (const itemId of new Set([groupId, ...stored, ...planned])) {
    if (!spared.has(itemId)) put(plan, deletion(itemId, groupId, plan.options.mappingVersion));
  }
}

/** Returns the stored exceptions that may outlive their series, or that the same changes name: they stay until they have been read again. */
function spareExceptions(
  plan: Plan,
  { providerEventId: groupId, exceptionsMayStay = false }: Extract<EventChange, { kind: 'deleted' }>,
  known: ReadonlyMap<string, readonly ItemVersion[]>,
): ReadonlySet<string> {
  const spared = new Set<string>();
  for (const item of known.get(groupId) ?? []) {
    const { providerEventId, isCancelled } = storedEvent(item);
    const mayStay = exceptionsMayStay ? !isCancelled : plan.named.has(providerEventId);
    if (item.itemId === groupId || !mayStay) continue;
    spared.add(item.itemId);
    plan.rereads.add(providerEventId);
  }
  return spared;
}

/** Drops the planned deletions of exceptions that the provider has and that cannot be read. */
function keepUnreadable(
  plan: Plan,
  { master, unreadable = [] }: Extract<EventChange, { kind: 'series' }>,
  known: ReadonlyMap<string, readonly ItemVersion[]>,
): void {
  const ids = new Set(unreadable.map(({ providerEventId }) => providerEventId));
  if (ids.size === 0) return;
  for (const item of known.get(groupIdOf(master)) ?? []) {
    if (item.itemId !== item.groupId && ids.has(storedEvent(item).providerEventId)) plan.writes.delete(item.itemId);
  }
}

/** Writes a master whose slots changed, and re-reads its exceptions, or removes them if nothing recurs any more. */
function followMaster(plan: Plan, master: ProviderEvent, known: ReadonlyMap<string, readonly ItemVersion[]>): void {
  const id = master.providerEventId;
  if (master.content?.recurrence === null) removeGroup(plan, id, known);
  else if ((known.get(id) ?? []).some(({ itemId }) => itemId !== id)) plan.rereads.add(id);
  write(plan, master);
}
