import { type RecurrenceId, unreadableField } from '../../ports/index.ts';
import { recurrenceIdText } from '../../recurrence/index.ts';
import { ICalendarError } from '../icalendar-error.ts';
import { isOfFollowing } from '../read/following-changes.ts';
import { isOlder, latest } from '../read/latest-version.ts';
import { contextOf } from '../read/read-calendar.ts';
import type { EventContext } from '../read/read-event.ts';
import { readSlot, startOf } from '../read/read-times.ts';
import { type IcsComponent, propertyOf, textOf } from '../text/component.ts';
import { isWholeText } from '../text/is-whole-text.ts';
import { readComponents } from '../text/read-components.ts';

/** Who writes, when, and in which calendar. */
export interface EditContext {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Zone of the calendar, for floating times and UTC dates. */
  readonly calendarZone: string;
  /** Address of the account: it becomes the organizer of an event that gets its first attendees. Empty when unknown. */
  readonly email: string;
  /** Further addresses of the account: e-mail addresses, and other URIs. */
  readonly self?: readonly string[];
  /** E-mail address of the calendar's owner, for whom the account writes: it takes that of the account as the organizer. @default none */
  readonly owner?: string | undefined;
  /** Event of a text with several UIDs. @default the first */
  readonly uid?: string;
  /** Writes responses of guests who are there already too. @default false */
  readonly keepsAnswers?: boolean;
  /** The slot of a series that becomes the first one. @default its first slot */
  readonly began?: RecurrenceId | undefined;
}

/** One event of a resource, taken apart. Of several versions of one component it has the one that a reading shows. */
export interface Resource {
  /** Without the older versions: written again, they could come to count. */
  readonly calendar: IcsComponent;
  readonly context: EventContext;
  readonly master: IcsComponent | undefined;
  readonly exceptions: readonly {
    readonly key: string;
    readonly slot: RecurrenceId;
    readonly component: IcsComponent;
  }[];
}

/**
 * Takes a resource apart.
 * @throws ICalendarError for a text without the event, or with a change that one of a single occurrence would take apart; ProviderError unreadable for a text that is cut off, or a slot that cannot be read
 */
export function readResource(text: string, context: EditContext): Resource {
  if (!isWholeText(text)) throw unreadableField('END', 'the text is cut off before END:VCALENDAR');
  const calendar = readComponents(text).components.find(({ name }) => name === 'VCALENDAR');
  const events = calendar?.components.filter(({ name }) => name === 'VEVENT') ?? [];
  const uid = context.uid ?? (events[0] === undefined ? '' : textOf(events[0], 'uid'));
  const own = events.filter((event) => textOf(event, 'uid') === uid);
  if (calendar === undefined || own.length === 0) throw new ICalendarError('VEVENT', 'the text has no such event');
  const { calendarZone, owner } = context;
  const reading = contextOf(calendar, { calendarZone, self: selfOf(context), owner }, () => {});
  const master = latest(own.filter((event) => propertyOf(event, 'recurrence-id') === undefined));
  const overrides = own.filter((event) => propertyOf(event, 'recurrence-id') !== undefined);
  if (overrides.some(isOfFollowing)) {
    throw new ICalendarError(
      'recurrence',
      'the series has a change of all following occurrences (RANGE=THISANDFUTURE)',
    );
  }
  const bySlot = new Map<string, Resource['exceptions'][number]>();
  for (const component of overrides) {
    const slot = readSlot(component, startOf(master ?? component, reading.zones), reading.zones);
    const key = recurrenceIdText(slot);
    const other = bySlot.get(key);
    if (other === undefined || !isOlder(component, other.component)) bySlot.set(key, { key, slot, component });
  }
  const exceptions = [...bySlot.values()];
  const dropped = new Set(own);
  for (const component of [master, ...exceptions.map((exception) => exception.component)]) {
    if (component !== undefined) dropped.delete(component);
  }
  const components = calendar.components.filter((component) => !dropped.has(component));
  return { calendar: { ...calendar, components }, context: reading, master, exceptions };
}

/** Returns the event or series of a resource. @throws ICalendarError for one that has single occurrences alone */
export function requireMaster({ master }: Resource): IcsComponent {
  if (master === undefined)
    throw new ICalendarError('VEVENT', 'the text has occurrences of a series without the series');
  return master;
}

/** Returns the addresses of the account, in lower case. */
export function selfOf({ email, self = [] }: EditContext): string[] {
  return [email, ...self].filter((address) => address !== '').map((address) => address.toLowerCase());
}
