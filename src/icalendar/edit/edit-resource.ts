import type { ResponseStatus } from '../../model/index.ts';
import type { EventPatch, NewEvent, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdText } from '../../recurrence/index.ts';
import { ICalendarError } from '../icalendar-error.ts';
import { calendarHead, withZones } from '../print/print-calendar.ts';
import { readEventContent } from '../read/read-event.ts';
import { readMaster } from '../read/read-master.ts';
import { isOf, readPeople } from '../read/read-people.ts';
import { type IcsComponent, propertiesOf, propertyOf, withProperties, withProperty } from '../text/component.ts';
import { writeContentLine, writeText } from '../text/content-line.ts';
import { printComponents } from '../text/print-components.ts';
import { writeFields } from '../write/write-fields.ts';
import { withResponse } from '../write/write-people.ts';
import { instantOfTime, isFloating, tzidsLikeStart, utcStamp, writeSpan } from '../write/write-times.ts';
import { withCancelled, withRestored } from './cancelled-slots.ts';
import { fieldContext, tzidsOf } from './field-context.ts';
import { followSeries } from './follow-series.ts';
import { type MovedException, movedExceptions, movedSlots } from './moved-exceptions.ts';
import { occurrenceComponent } from './occurrence-component.ts';
import { type EditContext, type Resource, readResource, requireMaster, selfOf } from './resource.ts';
import { formOf } from './series-form.ts';
import { isCancelledComponent, stamped } from './stamps.ts';

/** Part of a resource that an edit is about: the single event or the series, or one slot of it. */
export type ResourceTarget =
  | { readonly kind: 'event' }
  | { readonly kind: 'occurrence'; readonly recurrenceId: RecurrenceId };

/** The events of a resource while it is edited. */
interface Edited {
  readonly master: IcsComponent | undefined;
  readonly exceptions: Resource['exceptions'];
}

/**
 * Returns the text of a new resource: one event in a calendar of its own, with a VTIMEZONE for each zone it names.
 * @throws ICalendarError naming the field that cannot be written
 */
export function createResource(input: NewEvent, context: EditContext & { readonly uid: string }): string {
  const { start, end, isAllDay = start.timeZone === '' } = input;
  const stamp = utcStamp(context.now);
  const base: IcsComponent = {
    name: 'VEVENT',
    properties: [
      writeText('UID', context.uid),
      writeContentLine('DTSTAMP', stamp),
      ...writeSpan({ start, end, isAllDay }, sameName),
      writeContentLine('CREATED', stamp),
      writeContentLine('LAST-MODIFIED', stamp),
      writeContentLine('SEQUENCE', '0'),
    ],
    components: [],
  };
  const event = writeFields(base, { ...input, isAllDay }, fieldContext(context, undefined, sameName));
  const calendar: IcsComponent = { name: 'VCALENDAR', properties: calendarHead(), components: [event] };
  return printComponents([withZones(calendar, instantOfTime(start))]);
}

const sameName = (zone: string): string => zone;

/**
 * Returns the text of a resource after a patch of its event or of one occurrence: what the patch does not say keeps its lines, unknown
 * properties, parameters, alarms and zones included. An occurrence becomes a component of its own; a cancelled one an EXDATE. Occurrences
 * follow their series in all that they do not say themselves, and go when it has lost their slots. The same text when nothing changes.
 * @throws ICalendarError naming the field that cannot be written; ProviderError unreadable for a text that is cut off, or an
 * event that cannot be read
 */
export function editResource(text: string, target: ResourceTarget, patch: EventPatch, context: EditContext): string {
  requireBothTimes(patch);
  const resource = readResource(text, context);
  const edited =
    target.kind === 'event'
      ? editMaster(resource, patch, context)
      : editOccurrence(resource, target.recurrenceId, patch, context);
  return printEdited(text, resource, edited);
}

function requireBothTimes({ start, end }: EventPatch): void {
  if ((start === undefined) === (end === undefined)) return;
  const [missing, given] = start === undefined ? ['start', 'end'] : ['end', 'start'];
  throw new ICalendarError(missing, `must be given with ${given}`);
}

/**
 * Returns the text after an answer of the account to its invitation, to all of a series or to one occurrence.
 * @throws ICalendarError naming `attendees` when the account is not invited; ProviderError unreadable for a text that is cut off
 */
export function respondInResource(
  text: string,
  target: ResourceTarget,
  response: ResponseStatus,
  context: EditContext,
): string {
  const resource = readResource(text, context);
  const answer = (component: IcsComponent) => withOwnResponse(component, response, context);
  if (target.kind === 'event') {
    const master = requireMaster(resource);
    return printEdited(text, resource, followed(resource, master, answer(master), context));
  }
  const { component, master } = occurrenceOf(resource, target.recurrenceId, context);
  const edited = withException(resource, target.recurrenceId, answer(component), master);
  return printEdited(text, resource, edited);
}

function withOwnResponse(component: IcsComponent, response: ResponseStatus, context: EditContext): IcsComponent {
  const self = selfOf(context);
  const attendees = propertiesOf(component, 'attendee');
  if (!attendees.some((property) => isOf(property, self))) {
    throw new ICalendarError('attendees', 'the account is not invited');
  }
  const answered = attendees.map((property) => (isOf(property, self) ? withResponse(property, response) : property));
  return stamped(withProperties(component, 'attendee', answered), component, { now: context.now, isOrganizer: false });
}

function editMaster(resource: Resource, patch: EventPatch, context: EditContext): Edited {
  const before = requireMaster(resource);
  const reading = readMaster(before, resource.exceptions.length > 0, resource.context);
  const { content } = reading.event;
  if (content === null) throw new ICalendarError('VEVENT', 'the event has no content');
  const fields = fieldContext(context, content, tzidsOf(resource));
  const write = (component: IcsComponent) => withStatus(writeFields(component, patch, fields), patch.isCancelled);
  const { zones } = resource.context;
  // The date of a cancelled slot that the new series lacks would take out another one, at a later change of the times.
  const open = withRestored(before, reading.cancelled, zones);
  const reshaped = write(open);
  const isReshaped = differ(open, reshaped, SHAPE);
  const written = isReshaped || open === before ? reshaped : write(before);
  if (!isReshaped && !differ(before, written, ENDS)) return followed(resource, before, written, context);
  const after = readMaster(written, !isReshaped && resource.exceptions.length > 0, resource.context);
  const tzidOf = tzidsLikeStart(written, context.calendarZone, fields.tzidOf);
  const isRespelled = isFloating(before) !== isFloating(written);
  const move = { before: reading, after, began: context.began };
  const taken = movedSlots(reading.cancelled, move);
  const exceptions = movedExceptions(resource.exceptions, {
    ...move,
    taken,
    isRespelled,
    zones,
    tzidOf,
  });
  if (!isReshaped) return followed(resource, before, written, context, exceptions);
  const cleared = withProperties(written, 'x-kalends-cancelled', []);
  const master = withCancelled(cleared, taken, zones, tzidOf);
  return followed(resource, before, master, context, exceptions);
}

function withStatus(component: IcsComponent, isCancelled: boolean | undefined): IcsComponent {
  if (isCancelled === undefined || isCancelled === isCancelledComponent(component)) return component;
  return withProperty(component, 'status', isCancelled ? writeContentLine('STATUS', 'CANCELLED') : undefined);
}

/** Lines that decide which slots a series has. */
const SHAPE = ['dtstart', 'rrule', 'exrule', 'rdate', 'exdate'];
const ENDS = ['dtend', 'duration'];

function differ(before: IcsComponent, after: IcsComponent, names: readonly string[]): boolean {
  const lines = (component: IcsComponent) =>
    component.properties
      .filter(({ name }) => names.includes(name))
      .map(({ line }) => line)
      .join('\n');
  return lines(before) !== lines(after);
}

/** Stamps a changed series; its exceptions, which may stand in other slots now, change along. */
function followed(
  resource: Resource,
  before: IcsComponent,
  after: IcsComponent,
  { now }: EditContext,
  exceptions: readonly MovedException[] = resource.exceptions,
): Edited {
  const { isOrganizer } = readPeople(before, resource.context);
  return {
    master: stamped(after, before, { now, isOrganizer }),
    exceptions: exceptions.map(({ key, slot, component, from = component }) => {
      const next = followSeries(component, before, after);
      return { key, slot, component: stamped(next, from, { now, isOrganizer }) };
    }),
  };
}

function editOccurrence(resource: Resource, slot: RecurrenceId, patch: EventPatch, context: EditContext): Edited {
  if (patch.isCancelled === true) return cancelOccurrence(resource, slot, context);
  const { component: base, master, isNew } = occurrenceOf(resource, slot, context);
  // An edited occurrence of a cancelled series takes place.
  const component = withStatus(base, false);
  const current = readEventContent(component, resource.context);
  const { isCancelled: _, ...fields } = patch;
  const written = writeFields(component, fields, fieldContext(context, current, tzidsOf(resource)));
  const isOfSeries = isNew && written === component && !(master !== undefined && isCancelledComponent(master));
  if (isOfSeries) return { master, exceptions: withoutSlot(resource, slot) };
  const { isOrganizer } = readPeople(component, resource.context);
  const edited = withException(resource, slot, stamped(written, component, { now: context.now, isOrganizer }), master);
  return isOrganized(component) || !isOrganized(written) ? edited : withOrganizer(edited, written, context);
}

const isOrganized = (component: IcsComponent): boolean => propertyOf(component, 'organizer') !== undefined;

/** The organizer of one component becomes that of all: strict servers refuse an object otherwise (RFC 6638 §3.2.4.2). */
function withOrganizer({ master, exceptions }: Edited, of: IcsComponent, { now }: EditContext): Edited {
  const organized = (component: IcsComponent): IcsComponent =>
    isOrganized(component)
      ? component
      : stamped(withProperty(component, 'organizer', propertyOf(of, 'organizer')), component, {
          now,
          isOrganizer: true,
        });
  return {
    master: master === undefined ? undefined : organized(master),
    exceptions: exceptions.map((exception) => ({ ...exception, component: organized(exception.component) })),
  };
}

function cancelOccurrence(resource: Resource, slot: RecurrenceId, context: EditContext): Edited {
  const { master } = resource;
  if (master === undefined) return cancelAlone(resource, slot, context);
  const how = { now: context.now, isOrganizer: readPeople(master, resource.context).isOrganizer };
  const cancelled = withCancelled(master, [slot], resource.context.zones, tzidsOf(resource));
  return { master: stamped(cancelled, master, how), exceptions: withoutSlot(resource, slot) };
}

/** Cancels an occurrence without its series. Only the organizer may say that it does not take place: a guest declines it. */
function cancelAlone(resource: Resource, slot: RecurrenceId, context: EditContext): Edited {
  const own = resource.exceptions.find(({ key }) => key === recurrenceIdText(slot));
  if (own === undefined) return resource;
  const { component } = own;
  const { isOrganizer, myResponseStatus } = readPeople(component, resource.context);
  if (!isOrganizer && myResponseStatus === undefined) {
    return { master: undefined, exceptions: withoutSlot(resource, slot) };
  }
  const how = { now: context.now, isOrganizer };
  const cancelled = isOrganizer
    ? stamped(withStatus(component, true), component, how)
    : withOwnResponse(component, 'declined', context);
  return withException(resource, slot, cancelled, undefined);
}

interface OccurrenceBase {
  readonly component: IcsComponent;
  /** The series, with the slot again if it was cancelled. */
  readonly master: IcsComponent | undefined;
  /** Whether the text has no component of this slot yet. */
  readonly isNew: boolean;
}

/** Returns the component of a slot: its own as one that takes place, or, where it has none or a cancelled one, as the series has it. */
function occurrenceOf(resource: Resource, slot: RecurrenceId, context: EditContext): OccurrenceBase {
  const own = resource.exceptions.find(({ key }) => key === recurrenceIdText(slot));
  if (own !== undefined && (!isCancelledComponent(own.component) || resource.master === undefined)) {
    return { component: withStatus(own.component, false), master: resource.master, isNew: false };
  }
  const master = requireMaster(resource);
  const { isOrganizer } = readPeople(master, resource.context);
  const restored = withRestored(master, [slot], resource.context.zones);
  const reading = readMaster(restored, true, resource.context);
  const { content } = reading.event;
  if (content === null) throw new ICalendarError('VEVENT', 'the series has no content');
  const tzidOf = tzidsLikeStart(master, context.calendarZone, tzidsOf(resource));
  const component = occurrenceComponent(master, formOf(reading) ?? { content }, slot, tzidOf);
  return { component, master: stamped(restored, master, { now: context.now, isOrganizer }), isNew: true };
}

function withException(
  resource: Resource,
  slot: RecurrenceId,
  component: IcsComponent,
  master: IcsComponent | undefined,
): Edited {
  const key = recurrenceIdText(slot);
  const isKnown = resource.exceptions.some((exception) => exception.key === key);
  const exceptions = resource.exceptions.map((exception) =>
    exception.key === key ? { ...exception, component } : exception,
  );
  return { master, exceptions: isKnown ? exceptions : [...exceptions, { key, slot, component }] };
}

function withoutSlot({ exceptions }: Resource, slot: RecurrenceId): Resource['exceptions'] {
  return exceptions.filter(({ key }) => key !== recurrenceIdText(slot));
}

/** Puts the edited components where the old ones were; new ones stand after the last. METHOD has no place in a stored object (RFC 4791 §4.1). */
function printEdited(text: string, { calendar, master, exceptions }: Resource, edited: Edited): string {
  const before = [master, ...exceptions.map(({ component }) => component)].filter(
    (component) => component !== undefined,
  );
  const after = [edited.master, ...edited.exceptions.map(({ component }) => component)].filter(
    (component) => component !== undefined,
  );
  if (before.length === after.length && before.every((component, at) => component === after[at])) return text;
  const replacement = new Map<IcsComponent, IcsComponent | undefined>(
    exceptions.map(({ key, component }) => [
      component,
      edited.exceptions.find((other) => other.key === key)?.component,
    ]),
  );
  if (master !== undefined) replacement.set(master, edited.master);
  const known = new Set(exceptions.map(({ key }) => key));
  const added = edited.exceptions.filter(({ key }) => !known.has(key)).map(({ component }) => component);
  const components = calendar.components.flatMap((component) =>
    replacement.has(component) ? (replacement.get(component) ?? []) : [component],
  );
  const next = withProperty({ ...calendar, components: [...components, ...added] }, 'method', undefined);
  const [start] = propertiesOf(requireEdited(edited), 'dtstart');
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(start?.raw ?? '') ?? [];
  return printComponents([withZones(next, Date.UTC(Number(year ?? 1970), Number(month ?? 1) - 1, Number(day ?? 1)))]);
}

function requireEdited({ master, exceptions }: Edited): IcsComponent {
  const component = master ?? exceptions[0]?.component;
  if (component === undefined) throw new ICalendarError('VEVENT', 'the text would have no event');
  return component;
}
