import type { EventContent, EventPatch, RecurrenceId } from '../../ports/index.ts';
import { type CarriedException, carryExceptions, isStub, sayable } from './carried-exceptions.ts';
import { type FollowingOptions, requireShown } from './following-plan.ts';
import { requireCopyable } from './require-copyable.ts';
import { reshaped, restarted, type SeriesShape } from './series-shape.ts';
import { type SeriesSnapshot, slotTable } from './series-snapshot.ts';

/** How all of a series is changed. JSON. */
export interface WholePlan {
  readonly patch: EventPatch;
  /** Exceptions to restore afterwards. */
  readonly keep: readonly CarriedException[];
}

/**
 * Plans a patch of all of a series: with new slots its exceptions are carried over. With a slot, times are those of that
 * occurrence, as the series has it, and what the occurrence said itself of the same fields is replaced. Resolves with
 * `'plain'` when a write to the series alone does it. `beginsAtSlot`: the occurrence becomes the first, under the rule given.
 * @throws KalendsError InvalidRequest naming `start` or `recurrence`; UnsupportedByProvider naming a field of an exception
 */
export function planWhole(
  series: SeriesSnapshot,
  slot: RecurrenceId | undefined,
  given: EventPatch,
  options: FollowingOptions,
  beginsAtSlot = false,
): WholePlan | 'plain' {
  const { content } = series.master;
  const patch = withoutReturn(given);
  const table = slotTable(content, options.calendarZone);
  const own = slot === undefined ? undefined : table.slotOf(slot);
  if (!isShaping(patch)) {
    const isModified = series.exceptions.some(
      (exception) => !isStub(exception) && table.slotOf(exception.recurrenceId).startMs === own?.startMs,
    );
    if (own === undefined || !isModified || patch.recurrence === null) return 'plain';
    return { patch, keep: [{ slot: table.nameOf(own), isCancelled: false, patch: sayable(patch) }] };
  }
  // Behind a new start they are written anew.
  if (patch.start !== undefined) requireCopyable(series.exceptions, series.master);
  if (beginsAtSlot && own !== undefined) requireShown(table, own.wallMs);
  const slotContent = own === undefined ? undefined : table.contentAt(own);
  const shape =
    slotContent === undefined
      ? restarted(content, patch)
      : reshaped(beginsAtSlot ? slotContent : content, slotContent, patch);
  const after: EventContent = { ...content, ...onlyShape(shape) };
  const addressed = own === undefined ? {} : { addressed: { slot: own, patch } };
  const began = beginsAtSlot && own !== undefined ? { beganMs: own.wallMs } : {};
  return {
    patch: { ...shapePatch(patch, content, shape), ...(beginsAtSlot ? timesOf(shape) : {}) },
    keep: carryExceptions(series, after, { ...options, ...addressed, ...began }),
  };
}

/** Whether a patch gives a series other slots, and leaves it a series. */
export function isShaping({ recurrence, start }: EventPatch): boolean {
  return recurrence !== null && (start !== undefined || recurrence !== undefined);
}

/** `isCancelled: false` brings one occurrence back and says nothing about a series. */
export function withoutReturn(patch: EventPatch): EventPatch {
  const { isCancelled: _, ...rest } = patch;
  return rest;
}

function onlyShape({ start, end, isAllDay, recurrence }: SeriesShape): SeriesShape {
  return { start, end, isAllDay, recurrence };
}

function timesOf({ start, end, isAllDay }: SeriesShape): EventPatch {
  return { start, end, isAllDay };
}

function shapePatch(patch: EventPatch, content: EventContent, { start, end, isAllDay, recurrence }: SeriesShape) {
  const isSameRule = patch.recurrence === undefined && recurrence?.join('\n') === content.recurrence?.join('\n');
  return {
    ...patch,
    ...(patch.start === undefined ? {} : { start, end, isAllDay }),
    ...(isSameRule ? {} : { recurrence }),
  };
}
