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

/** A change of the slots or times of a series. */
export interface SeriesMove {
  readonly before: MasterReading;
  readonly after: MasterReading;
  /** The slot that the first one was before. @default the first of the series */
  readonly began?: RecurrenceId | undefined;
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
export function movedExceptions(
  exceptions: readonly Exception[],
  { before, after, began, taken, isRespelled, zones, tzidOf }: SeriesMove,
): readonly MovedException[] {
  const [from, to] = [formOf(before), formOf(after)];
  if (from === undefined || to === undefined) return [];
  const isMoved = before.start.wall !== after.start.wall || from.timeZone !== to.timeZone;
  const isReshaped = isMoved || from.content.recurrence?.join('\n') !== to.content.recurrence?.join('\n');
  const { dtstartMs, timeZone } = from.series;
  const wallMs = (began && from.series.slotAt(recurrenceIdMs(began))?.wallMs) ?? dtstartMs;
  const keys = new Set(taken.map(recurrenceIdText));
  return exceptions.flatMap(({ slot, component }) => {
    const next = isMoved ? counterpartOf(slot, from, to, { wallMs, timeZone }) : slot;
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
