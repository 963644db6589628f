import type { NewEvent, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdMs } from '../../recurrence/index.ts';
import { ICalendarError } from '../icalendar-error.ts';
import { withZones } from '../print/print-calendar.ts';
import { readMaster } from '../read/read-master.ts';
import { type IcsComponent, withProperty } from '../text/component.ts';
import { writeContentLine, writeText } from '../text/content-line.ts';
import { printComponents } from '../text/print-components.ts';
import { writeFields } from '../write/write-fields.ts';
import { instantOfTime, isFloating, tzidsLikeStart, utcStamp } from '../write/write-times.ts';
import { X_CANCELLED, X_PRIVATE, X_PUBLIC } from '../x-names.ts';
import { withCancelled } from './cancelled-slots.ts';
import { fieldContext, tzidsOf } from './field-context.ts';
import { followSeries } from './follow-series.ts';
import { movedExceptions, movedSlots } from './moved-exceptions.ts';
import { isAbsoluteAlarm } from './occurrence-component.ts';
import { type EditContext, readResource, requireMaster } from './resource.ts';
import { isCancelledComponent } from './stamps.ts';

/** A new event has none of these from the series that it continues: its fields say them whole. */
const OF_THE_FIELDS = new Set([
  ...'rrule exrule rdate exdate'.split(' '),
  ...[X_CANCELLED, X_PUBLIC, X_PRIVATE].map((name) => name.toLowerCase()),
]);

/**
 * Returns the text of a new resource with the event that continues a series from a slot on: a copy of the series under another UID, with
 * the fields given, and of its exceptions from there on, each with its wall time or date, as far as the event recurs there. Lines that no
 * field has, alarms and parameters are as in the series. Cancelled occurrences stay so, but for the first where the fields say
 * `isCancelled: false`.
 * @throws ICalendarError naming the field that cannot be written; ProviderError unreadable for a text that is cut off, or a series that
 * cannot be read
 */
export function continueResource(
  text: string,
  from: RecurrenceId,
  input: NewEvent,
  context: EditContext & { readonly newUid: string },
): string {
  const resource = readResource(text, context);
  const { calendar, context: reading } = resource;
  const series = requireMaster(resource);
  const before = readMaster(series, true, reading);
  const { content } = before.event;
  if (content === null) throw new ICalendarError('VEVENT', 'the series has no content');
  const { isAllDay = input.start.timeZone === '' } = input;
  const current = { ...content, recurrence: null, publicExtendedProperties: {}, privateExtendedProperties: {} };
  const fields = fieldContext(context, current, tzidsOf(resource));
  const written = writeFields(copyOf(series), { ...input, isAllDay }, fields);
  const fromMs = recurrenceIdMs(from);
  const cancelledFromMs = input.isCancelled === false ? fromMs + 1 : fromMs;
  const later = resource.exceptions.filter(
    ({ slot, component }) => recurrenceIdMs(slot) >= (isCancelledComponent(component) ? cancelledFromMs : fromMs),
  );
  const after = readMaster(written, false, reading);
  const tzidOf = tzidsLikeStart(written, context.calendarZone, fields.tzidOf);
  const isRespelled = isFloating(series) !== isFloating(written);
  const move = { before, after, began: from };
  const cancelled = before.cancelled.filter((slot) => recurrenceIdMs(slot) >= cancelledFromMs);
  const taken = movedSlots(cancelled, move);
  const event = withCancelled(written, taken, reading.zones, tzidOf);
  const moved = movedExceptions(later, { ...move, taken, isRespelled, zones: reading.zones, tzidOf });
  const exceptions = moved.map(({ component }) => followSeries(component, series, event));
  const zones = calendar.components.filter(({ name }) => name === 'VTIMEZONE');
  const events = [event, ...exceptions].map((component) => renewed(component, context));
  const next = withProperty({ ...calendar, components: [...zones, ...events] }, 'method', undefined);
  return printComponents([withZones(next, instantOfTime(input.start))]);
}

function copyOf(series: IcsComponent): IcsComponent {
  const properties = series.properties.filter(({ name }) => !OF_THE_FIELDS.has(name));
  return { ...series, properties, components: series.components.filter((inner) => !isAbsoluteAlarm(inner)) };
}

/** Returns a component as one that has just been created. */
function renewed(
  component: IcsComponent,
  { now, newUid }: { readonly now: number; readonly newUid: string },
): IcsComponent {
  const stamp = utcStamp(now);
  const lines = [
    writeText('UID', newUid),
    ...['DTSTAMP', 'CREATED', 'LAST-MODIFIED'].map((name) => writeContentLine(name, stamp)),
    writeContentLine('SEQUENCE', '0'),
  ];
  return lines.reduce((next, line) => withProperty(next, line.name, line), component);
}
