import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdMs, recurrenceIdText } from '../../recurrence/index.ts';
import { counterpart, type SeriesBegin } from '../../recurrence/moves.ts';
import { formatDate, type IcsZones } from '../../zones/index.ts';
import type { MasterReading } from '../read/read-master.ts';
import { readTimes } from '../read/read-times.ts';
import { type IcsComponent, propertyOf, withProperty } from '../text/component.ts';
import { withTimes } from '../write/write-fields.ts';
import { instantOfTime, type TzidOf, writeSlot } from '../write/write-times.ts';
import { timesAt } from './occurrence-component.ts';
import type { Resource } from './resource.ts';
import { formOf, hasSlot, type SeriesForm } from './series-form.ts';

type Exception = Resource['exceptions'][number];

/** An exception in its new slot. */
export interface MovedException extends Exception {
  /** The component as it was. */
  readonly from?: IcsComponent;
}

/** A change of the slots of a series. */
export interface SlotMove {
  readonly before: MasterReading;
  readonly after: MasterReading;
  /** The slot that the first one was before. @default the first of the series */
  readonly began?: RecurrenceId | undefined;
}

/** A change of the slots or times of a series. */
export interface SeriesMove extends SlotMove {
  /** Slots that no exception may take. */
  readonly taken: readonly RecurrenceId[];
  /** Whether the start has another form, so that slots are to be written anew in it. */
  readonly isRespelled: boolean;
  readonly zones: IcsZones;
  readonly tzidOf: TzidOf;
}

/**
 * Returns the exceptions of a series after it was given other slots or times. Where its start has moved, each goes to its
 * counterpart; those whose slot is gone go. One that was at the times of its slot is so again.
 */
export function movedExceptions(exceptions: readonly Exception[], move: SeriesMove): readonly MovedException[] {
  const { before, after, taken, isRespelled, zones, tzidOf } = move;
  const [from, to] = [formOf(before), formOf(after)];
  if (from === undefined || to === undefined) return [];
  const isMoved = hasMoved(from, to, move);
  const isReshaped = isMoved || from.content.recurrence?.join('\n') !== to.content.recurrence?.join('\n');
  const began = beginOf(from, move);
  const keys = new Set(taken.map(recurrenceIdText));
  return exceptions.flatMap(({ slot, component }) => {
    const next = isMoved ? counterpartOf(slot, from, to, began) : slot;
    const key = next === undefined ? '' : recurrenceIdText(next);
    if (next === undefined || (isReshaped && (keys.has(key) || !hasSlot(to.series, next)))) return [];
    keys.add(key);
    const timed = withTimesOf(component, { form: from, slot }, { form: to, slot: next }, { zones, tzidOf });
    const line = writeSlot('RECURRENCE-ID', next, to.content.start.timeZone, tzidOf);
    const isSame = !isRespelled && key === recurrenceIdText(slot);
    return [
      { key, slot: next, component: isSame ? timed : withProperty(timed, 'recurrence-id', line), from: component },
    ];
  });
}

/**
 * Returns where slots of a series are in its new shape, each once, by the rule of its exceptions. Those that the new shape lacks go, and so do
 * those that the series did not have: they would take out occurrences that took place.
 */
export function movedSlots(slots: readonly RecurrenceId[], move: SlotMove): readonly RecurrenceId[] {
  const [from, to] = [formOf(move.before), formOf(move.after)];
  if (from === undefined || to === undefined) return [];
  const isMoved = hasMoved(from, to, move);
  const began = beginOf(from, move);
  const moved = new Map<string, RecurrenceId>();
  for (const slot of slots) {
    if (!hasSlot(from.series, slot)) continue;
    const next = isMoved ? counterpartOf(slot, from, to, began) : slot;
    if (next !== undefined && hasSlot(to.series, next)) moved.set(recurrenceIdText(next), next);
  }
  return [...moved.values()];
}

function hasMoved(from: SeriesForm, to: SeriesForm, { before, after }: SlotMove): boolean {
  return before.start.wall !== after.start.wall || from.timeZone !== to.timeZone;
}

function beginOf({ series: { dtstartMs, timeZone, slotAt } }: SeriesForm, { began }: SlotMove): SeriesBegin {
  return { wallMs: (began && slotAt(recurrenceIdMs(began))?.wallMs) ?? dtstartMs, timeZone };
}

function counterpartOf(
  slot: RecurrenceId,
  from: SeriesForm,
  to: SeriesForm,
  began: SeriesBegin,
): RecurrenceId | undefined {
  const old = from.series.slotAt(recurrenceIdMs(slot));
  if (old === undefined) return slot;
  const next = counterpart(to.series, old, began);
  if (next === undefined) return undefined;
  if (to.content.isAllDay) return { kind: 'date', date: formatDate(next.startMs) };
  return { kind: 'instant', startMs: next.startMs };
}

interface Place {
  readonly form: SeriesForm;
  readonly slot: RecurrenceId;
}

/** Gives an exception at the times of its slot those of its new one. */
function withTimesOf(
  component: IcsComponent,
  from: Place,
  to: Place,
  { zones, tzidOf }: Pick<SeriesMove, 'zones' | 'tzidOf'>,
): IcsComponent {
  if (propertyOf(component, 'dtstart') === undefined) return component;
  const own = readTimes(component, zones);
  const [was, next] = [timesAt(from.form, from.slot), timesAt(to.form, to.slot)];
  const { isAllDay } = to.form.content;
  const isOwn = own.isAllDay !== from.form.content.isAllDay || !isSame(own, was);
  if (isOwn || (own.isAllDay === isAllDay && isSame(own, next))) return component;
  return withTimes(component, { ...next, isAllDay }, tzidOf);
}

type Times = Pick<EventContent, 'start' | 'end'>;

function isSame(one: Times, other: Times): boolean {
  return instantOfTime(one.start) === instantOfTime(other.start) && instantOfTime(one.end) === instantOfTime(other.end);
}
