import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { occurrenceEnd, recurrenceIdMs, seriesLength } from '../../recurrence/index.ts';
import { formatInstant } from '../../zones/index.ts';
import { type IcsComponent, propertyOf, withProperty } from '../text/component.ts';
import { daysAfter, instantOfTime, type TzidOf, writeSlot, writeSpan } from '../write/write-times.ts';
import type { SeriesForm } from './series-form.ts';

/** The source of a slot's times; an event without recurrence has no series. */
type TimesSource = Pick<SeriesForm, 'content'> & Partial<Pick<SeriesForm, 'series'>>;

/** An exception has none of these; its alarms at a fixed instant are those of another slot. */
const OF_THE_SERIES = new Set(
  'rrule exrule rdate exdate x-kalends-cancelled recurrence-id dtstart dtend duration'.split(' '),
);

/** Returns the component of a slot as its series has it, with its times in the form of the series' start; `tzidOf` spells them so. */
export function occurrenceComponent(
  master: IcsComponent,
  source: TimesSource,
  slot: RecurrenceId,
  tzidOf: TzidOf,
): IcsComponent {
  const { content } = source;
  const { start, end } = timesAt(source, slot);
  const components = master.components.filter((inner) => !isAbsoluteAlarm(inner));
  const properties = [
    ...master.properties.filter(({ name }) => !OF_THE_SERIES.has(name)),
    writeSlot('RECURRENCE-ID', slot, content.start.timeZone, tzidOf),
    ...writeSpan({ start, end, isAllDay: content.isAllDay }, tzidOf),
  ];
  const component: IcsComponent = { ...master, properties, components };
  return withProperty(component, 'x-microsoft-cdo-alldayevent', propertyOf(master, 'x-microsoft-cdo-alldayevent'));
}

/** Returns the start and end of a slot as its series has them: an RDATE may have a length of its own. */
export function timesAt({ content, series }: TimesSource, slot: RecurrenceId): Pick<EventContent, 'start' | 'end'> {
  const { start, end } = content;
  if (slot.kind === 'date') {
    const day = (date: string) => ({ dateTime: `${date}T00:00:00`, timeZone: '' });
    return { start: day(slot.date), end: day(daysAfter(slot.date, instantOfTime(end) - instantOfTime(start))) };
  }
  const { startMs } = slot;
  const ownMs = series?.slotAt(recurrenceIdMs(slot))?.durationMs;
  const endMs =
    ownMs === undefined
      ? occurrenceEnd(start.timeZone, startMs, seriesLength(start.timeZone, content))
      : startMs + ownMs;
  const at = (zone: string, epochMs: number) => ({ dateTime: formatInstant(zone, epochMs), timeZone: zone });
  return { start: at(start.timeZone, startMs), end: at(end.timeZone, endMs) };
}

/** Returns whether a component is an alarm at a fixed instant. */
export function isAbsoluteAlarm(component: IcsComponent): boolean {
  return component.name === 'VALARM' && /^\d/.test(propertyOf(component, 'trigger')?.raw ?? '');
}
