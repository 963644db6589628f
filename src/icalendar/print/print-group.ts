import type { EventContent, EventPatch, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdText } from '../../recurrence/index.ts';
import type { IcsComponent } from '../text/component.ts';
import { type IcsProperty, writeContentLine, writeText } from '../text/content-line.ts';
import { type FieldContext, writeFields } from '../write/write-fields.ts';
import { writePeople } from '../write/write-people.ts';
import { utcStamp, writeSlot, writeSpan } from '../write/write-times.ts';
import { X_CANCELLED } from '../x-names.ts';

/** An event to print. An exception's content is as shown: what it does not say itself is the series'. */
export interface PrintableEvent {
  /** Slot of an exception; null for a single event or a master. */
  readonly recurrenceId: RecurrenceId | null;
  readonly isCancelled: boolean;
  /** Null for a cancelled slot. */
  readonly content: EventContent | null;
  /** SEQUENCE, which says how often the organizer has changed the event (RFC 5545 §3.8.7.4). Printed when above 0. @default 0 */
  readonly sequence?: number;
}

/** The events of one UID. A reading's group is one. */
export interface PrintableGroup {
  readonly uid: string;
  readonly master: PrintableEvent | undefined;
  readonly exceptions: readonly PrintableEvent[];
}

/** Returns the VEVENT components of a group: the master, then its exceptions by slot. */
export function printGroup(group: PrintableGroup, calendarZone: string): readonly IcsComponent[] {
  const { uid, master } = group;
  const exceptions = group.exceptions
    .filter((exception) => exception.recurrenceId !== null)
    .toSorted((one, other) => (slotKey(one) < slotKey(other) ? -1 : 1));
  const series = master?.content ?? undefined;
  const zone = series === undefined || series.isAllDay ? undefined : series.start.timeZone;
  const cancelled = exceptions.filter(({ isCancelled }) => isCancelled);
  const left = series === undefined ? exceptions : exceptions.filter(({ isCancelled }) => !isCancelled);
  const main =
    master === undefined || series === undefined
      ? []
      : [printMaster(uid, { ...master, content: series }, { cancelled, calendarZone })];
  return [...main, ...left.map((exception) => printException(uid, exception, zone, calendarZone))];
}

function slotKey({ recurrenceId }: PrintableEvent): string {
  return recurrenceId === null ? '' : recurrenceIdText(recurrenceId);
}

/** An event that says something. */
type SaidEvent = PrintableEvent & { readonly content: EventContent };

function printMaster(
  uid: string,
  master: SaidEvent,
  { cancelled, calendarZone }: { readonly cancelled: readonly PrintableEvent[]; readonly calendarZone: string },
): IcsComponent {
  const component = printContent(uid, master, calendarZone);
  const zone = master.content.start.timeZone;
  const slots = cancelled.flatMap(({ recurrenceId }): IcsProperty[] =>
    recurrenceId === null
      ? []
      : [
          writeSlot('EXDATE', recurrenceId, zone, sameName),
          writeContentLine(X_CANCELLED, recurrenceIdText(recurrenceId)),
        ],
  );
  return { ...component, properties: [...component.properties, ...slots] };
}

function printException(
  uid: string,
  exception: PrintableEvent,
  seriesZone: string | undefined,
  calendarZone: string,
): IcsComponent {
  const { recurrenceId, content } = exception;
  const zone = seriesZone ?? (content === null || content.isAllDay ? 'UTC' : content.start.timeZone);
  const slot = recurrenceId === null ? [] : [writeSlot('RECURRENCE-ID', recurrenceId, zone, sameName)];
  if (content !== null) return inserted(printContent(uid, { ...exception, content }, calendarZone), slot);
  const stamp = writeContentLine('DTSTAMP', utcStamp(0));
  const start = slot.map((property) => writeContentLine('DTSTART', property.raw, { ...property.parameters }));
  const status = writeContentLine('STATUS', 'CANCELLED');
  const properties = [writeText('UID', uid), stamp, ...slot, ...start, ...sequenceOf(exception), status];
  return { name: 'VEVENT', properties, components: [] };
}

function inserted(component: IcsComponent, slot: readonly IcsProperty[]): IcsComponent {
  const [uid, stamp, ...rest] = component.properties;
  return { ...component, properties: [uid, stamp, ...slot, ...rest].filter((property) => property !== undefined) };
}

const sameName = (zone: string): string => zone;

function sequenceOf({ sequence = 0 }: PrintableEvent): readonly IcsProperty[] {
  return sequence > 0 ? [writeContentLine('SEQUENCE', String(sequence))] : [];
}

function printContent(uid: string, event: SaidEvent, calendarZone: string): IcsComponent {
  const { content, isCancelled } = event;
  const { createdAt, updatedAt } = content;
  const stamps: IcsProperty[] = [
    writeText('UID', uid),
    writeContentLine('DTSTAMP', utcStamp(instantOr(updatedAt))),
    ...writeSpan(content, sameName),
    writeContentLine('CREATED', utcStamp(instantOr(createdAt))),
    writeContentLine('LAST-MODIFIED', utcStamp(instantOr(updatedAt))),
    ...sequenceOf(event),
  ];
  const base: IcsComponent = { name: 'VEVENT', properties: stamps, components: [] };
  const context: FieldContext = {
    current: undefined,
    tzidOf: sameName,
    calendarZone,
    email: content.organizer?.email ?? '',
    organizer: '',
    self: [],
    keepsAnswers: true,
  };
  const written = writePeople(writeFields(base, fieldsOf(content), context), content);
  if (!isCancelled) return written;
  const properties = written.properties.filter(({ name }) => name !== 'status');
  return { ...written, properties: [...properties, writeContentLine('STATUS', 'CANCELLED')] };
}

/** Returns an event's content as a patch, without people and without what is at its default. */
function fieldsOf(content: EventContent): EventPatch {
  const { title, description, location, start, end, isAllDay, recurrence, reminders } = content;
  const { visibility, transparency, status, eventType, showAs } = content;
  const { publicExtendedProperties, privateExtendedProperties, categories, guestsCanSeeOtherGuests } = content;
  const optional = {
    colorId: content.colorId,
    customColor: content.customColor,
    conferenceData: content.conferenceData,
    generateMeetingUrlProvider: content.generateMeetingUrlProvider,
    locationDetails: content.locationDetails,
    guestsCanModify: content.guestsCanModify,
    guestsCanInviteOthers: content.guestsCanInviteOthers,
    allowNewTimeProposals: content.allowNewTimeProposals,
  };
  return {
    ...{ title, description, location, start, end, isAllDay, recurrence, reminders },
    ...{ visibility, transparency, status, eventType, showAs },
    ...{ publicExtendedProperties, privateExtendedProperties, categories, guestsCanSeeOtherGuests },
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

function instantOr(text: string): number {
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : at;
}
