import { DEFAULT_AVAILABILITY, type EventContent, type EventPatch } from '../../ports/index.ts';
import { ICalendarError } from '../icalendar-error.ts';
import { canonicalLines, type LineStart } from '../read/recurrence-lines.ts';
import { type IcsComponent, propertyOf, withProperties, withProperty } from '../text/component.ts';
import { type IcsProperty, readContentLine, writeContentLine, writeText } from '../text/content-line.ts';
import { sortedJson } from '../x-names.ts';
import { writeAvailability } from './write-availability.ts';
import { writeDetails } from './write-details.ts';
import { type PeopleContext, writeAttendees } from './write-people.ts';
import { writeReminders } from './write-reminders.ts';
import { instantOfTime, isFloating, type TzidOf, wallOfStart, writeSpan } from './write-times.ts';

/** Context of a write beside the patch. */
export interface FieldContext extends PeopleContext {
  /** The component's content before the write; undefined for a new one. */
  readonly current: EventContent | undefined;
  readonly tzidOf: TzidOf;
  /** Address of the account, which gets its reminders by mail. */
  readonly email: string;
  /** Zone of the calendar, which dates the UTC times of an all-day series. */
  readonly calendarZone: string;
}

/** Writes the fields of a patch to a component: what the patch says already, and all that it does not name, keeps its lines. */
export function writeFields(component: IcsComponent, given: EventPatch, context: FieldContext): IcsComponent {
  const patch = changesOf(given, context.current);
  let next = writeTexts(component, patch);
  next = writeTimes(next, patch, context);
  if (['transparency', 'status', 'eventType', 'showAs'].some((field) => field in patch)) {
    next = writeAvailability(next, patch, context.current ?? { ...DEFAULT_AVAILABILITY, showAs: 'busy' });
  }
  next = writeDetails(next, patch);
  if (patch.attendees !== undefined) next = writeAttendees(next, patch.attendees ?? [], context);
  if (patch.reminders === undefined) return next;
  const { start, end } = { ...context.current, ...patch };
  const times = { startMs: start ? instantOfTime(start) : 0, endMs: end ? instantOfTime(end) : 0 };
  return writeReminders(next, patch.reminders, { ...times, email: context.email });
}

/** Returns the part of a patch that changes the content. */
export function changesOf(patch: EventPatch, current: EventContent | undefined): EventPatch {
  if (current === undefined)
    return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const { start, end, isAllDay, ...fields } = patch;
  const shown: Readonly<Record<string, unknown>> = { ...current };
  const changed = Object.entries(fields).filter(
    ([field, value]) =>
      value !== undefined && !isSame(value, shown[field]) && !(value === null && isCleared(field, shown[field])),
  );
  const isMoved =
    start !== undefined &&
    end !== undefined &&
    !isSame([start, end, isAllDay ?? start.timeZone === ''], [current.start, current.end, current.isAllDay]);
  return {
    ...Object.fromEntries(changed),
    ...(isMoved ? { start, end, isAllDay: isAllDay ?? start.timeZone === '' } : {}),
  };
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  visibility: 'default',
  ...DEFAULT_AVAILABILITY,
  showAs: 'busy',
  guestsCanSeeOtherGuests: true,
};

function isCleared(field: string, shown: unknown): boolean {
  if (shown === undefined || shown === null || shown === DEFAULTS[field]) return true;
  return isSame(shown, '') || isSame(shown, []) || isSame(shown, {});
}

function isSame(one: unknown, other: unknown): boolean {
  return sortedJson(one) === sortedJson(other);
}

function writeTexts(component: IcsComponent, { title, description, location, visibility }: EventPatch): IcsComponent {
  let next = component;
  if (title !== undefined) next = withProperty(next, 'summary', textLine('SUMMARY', title));
  if (description !== undefined) {
    next = withProperty(next, 'description', textLine('DESCRIPTION', description));
    // The same as HTML, which would go on showing the old one.
    next = withProperty(next, 'x-alt-desc', undefined);
  }
  if (location !== undefined) {
    next = withProperty(next, 'location', textLine('LOCATION', location));
    // Apple shows the place in it instead of LOCATION.
    next = withProperty(next, 'x-apple-structured-location', undefined);
  }
  if (visibility === undefined) return next;
  const isUsual = visibility === null || visibility === 'default';
  return withProperty(next, 'class', isUsual ? undefined : writeContentLine('CLASS', visibility.toUpperCase()));
}

function textLine(name: string, text: string | null): IcsProperty | undefined {
  return text === null || text === '' ? undefined : writeText(name, text);
}

function writeTimes(component: IcsComponent, patch: EventPatch, context: FieldContext): IcsComponent {
  const { start, end, isAllDay = false } = patch;
  const moved =
    start === undefined || end === undefined
      ? component
      : withTimes(component, { start, end, isAllDay }, context.tzidOf);
  return writeRecurrence(moved, patch, { ...context, isPinned: isFloating(component) && !isFloating(moved) });
}

/** Returns the component with these times. */
export function withTimes(
  component: IcsComponent,
  times: Pick<EventContent, 'start' | 'end' | 'isAllDay'>,
  tzidOf: TzidOf,
): IcsComponent {
  const [start, end] = writeSpan(times, tzidOf);
  let next = withProperty(component, 'dtstart', start);
  if (propertyOf(next, 'dtend') === undefined && propertyOf(next, 'duration') !== undefined) next = durationAsEnd(next);
  next = withProperty(next, 'dtend', end);
  // Never both (RFC 5545 §3.6.1).
  next = withProperty(next, 'duration', undefined);
  const exchange = 'x-microsoft-cdo-alldayevent';
  if (propertyOf(next, exchange) === undefined) return next;
  return withProperty(next, exchange, writeContentLine(exchange.toUpperCase(), times.isAllDay ? 'TRUE' : 'FALSE'));
}

/** DTEND takes the place of DURATION. */
function durationAsEnd(component: IcsComponent): IcsComponent {
  const properties = component.properties.map((property) =>
    property.name === 'duration' ? { ...property, name: 'dtend' } : property,
  );
  return { ...component, properties };
}

const RECURRENCE = ['rrule', 'exrule', 'rdate', 'exdate'];

/** Writes the lines of a series; when its start changes its form or zone, their forms follow. `isPinned`: it floats no more. */
function writeRecurrence(
  component: IcsComponent,
  patch: EventPatch,
  { current, calendarZone, tzidOf, isPinned }: FieldContext & { readonly isPinned: boolean },
): IcsComponent {
  const start = patch.start ?? current?.start;
  const isAllDay = patch.isAllDay ?? current?.isAllDay ?? false;
  const isReshaped =
    current !== undefined && (isPinned || current.isAllDay !== isAllDay || current.start.timeZone !== start?.timeZone);
  const lines = patch.recurrence === undefined && isReshaped ? current.recurrence : patch.recurrence;
  if (lines === undefined || start === undefined) return component;
  return withRecurrence(component, lines ?? [], {
    wall: wallOfStart(start, isAllDay),
    timeZone: isAllDay ? calendarZone : start.timeZone,
    isFloating: isFloating(component),
    tzidOf,
  });
}

/**
 * Returns the component with these recurrence lines and no others.
 * @throws ICalendarError naming `recurrence` for a line that cannot be read
 */
export function withRecurrence(
  component: IcsComponent,
  lines: readonly string[],
  { tzidOf, ...start }: LineStart & { readonly tzidOf: TzidOf },
): IcsComponent {
  const canonical = canonicalLines(lines, start);
  const [fault] = canonical.faults;
  if (fault !== undefined) throw new ICalendarError('recurrence', fault);
  const written = canonical.lines
    .map((line) => readContentLine(line))
    .filter((property) => property !== undefined)
    .map((property) => withTzid(property, tzidOf));
  return RECURRENCE.reduce(
    (next, name) =>
      withProperties(
        next,
        name,
        written.filter((property) => property.name === name),
      ),
    component,
  );
}

function withTzid(property: IcsProperty, tzidOf: TzidOf): IcsProperty {
  const zone = property.parameters['tzid'];
  if (zone === undefined || tzidOf(zone) === zone) return property;
  const value = property.parameters['value'];
  return writeContentLine(property.name.toUpperCase(), property.raw, { VALUE: value, TZID: tzidOf(zone) });
}
