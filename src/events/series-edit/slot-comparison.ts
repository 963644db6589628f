import { canonicalJson } from '../../mirror/index.ts';
import type { EventContent, EventPatch, ProviderEvent } from '../../ports/index.ts';
import { compileSeries, parseRecurrence, RecurrenceError, serializeRecurrence } from '../../recurrence/index.ts';
import { dtstartOf } from '../write/input-recurrence.ts';
import type { SeriesSnapshot } from './series-snapshot.ts';

/** Fields that determine the original starts of a series. */
interface Slots extends Pick<EventContent, 'start' | 'isAllDay'> {
  readonly recurrence: readonly string[] | null;
}

/** This many slots and the last one tell a series from what it was before. */
const COMPARED_SLOTS = 100;

/** Returns whether a series has the slots that a patch gives to its pre-image, exclusions aside. */
export function hasSlotsOf({ content }: ProviderEvent, before: SeriesSnapshot, patch: EventPatch): boolean {
  if (content === null || content.recurrence === null) return false;
  const { start, isAllDay, recurrence } = { ...before.master.content, ...slotFields(patch) };
  return recurrence !== null && slotsOf(content) === slotsOf({ start, isAllDay, recurrence });
}

/** Returns whether an event says what it said before, whatever its tag. */
export function isSameEvent(now: ProviderEvent, before: ProviderEvent): boolean {
  const shown = ({ content, isCancelled }: ProviderEvent) =>
    canonicalJson([isCancelled, content === null ? null : { ...content, updatedAt: '' }]);
  return shown(now) === shown(before);
}

function slotFields({ start, isAllDay, recurrence }: EventPatch) {
  return {
    ...(start === undefined ? {} : { start }),
    ...(isAllDay === undefined ? {} : { isAllDay }),
    ...(recurrence === undefined ? {} : { recurrence }),
  };
}

function slotsOf(shape: Slots): string {
  try {
    const lines = serializeRecurrence({ ...parseRecurrence(shape.recurrence ?? []), exceptionDates: [] });
    const series = compileSeries({ ...dtstartOf(shape), lines });
    const window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: COMPARED_SLOTS };
    const slots = series.occurrences(window).map(({ startMs }) => startMs);
    return canonicalJson([shape.isAllDay, slots, series.last()?.startMs ?? null]);
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return canonicalJson([shape.isAllDay, shape.start, shape.recurrence]);
  }
}
