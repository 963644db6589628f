import { createHash } from 'node:crypto';
import type { Caller } from '../engine-interface.ts';
import { KalendsError, withDetails } from '../errors.ts';
import type { ImportTarget } from '../events/index.ts';
import type { CalendarEvent, EventCreate, HoldEvent } from '../model/index.ts';
import type { HoldRow, Logger } from '../ports/index.ts';
import { describeError, inParallel } from '../runtime/index.ts';
import { foundOrNull, isOfAccess, isRefusal } from './hold-failures.ts';
import { bookedEvents, type Place, placeOf, placesOf } from './hold-view.ts';
import { timesIn } from './zoned-slot.ts';

/** The calls about events that holds make. */
export type HoldTarget = Pick<ImportTarget, 'create' | 'check' | 'findCreated' | 'get' | 'list' | 'update' | 'delete'>;

/** The events that a confirmation writes. */
export interface WriteOrder {
  readonly caller: Caller;
  readonly hold: HoldRow;
  readonly event: HoldEvent;
  /** E-mail address of each participant, in their order; empty where there is none to invite. */
  readonly emails: readonly string[];
}

/** Events as they were written: the organizer's, and the ids of all by their accounts. */
export interface WrittenEvents {
  readonly event: CalendarEvent;
  readonly eventIds: Readonly<Record<string, string>>;
}

/**
 * The events of holds. Each is created under a request id that the hold, the account and the purpose make, so that any process can
 * repeat the creation, and find or remove what another one has created.
 */
export interface HoldEvents {
  /** Creates the tentative events of a hold. What it throws leaves some of them. */
  showTentative(caller: Caller, hold: HoldRow, title: string): Promise<void>;
  /** Removes the tentative events of a hold. False when some may be left; removing them again may succeed. */
  hideTentative(hold: HoldRow): Promise<boolean>;
  /** Writes the events of a confirmation, or finds those that an earlier attempt has written. What it throws leaves some of them. */
  write(order: WriteOrder): Promise<WrittenEvents>;
  /** Finds the events that a confirmation has written, by their accounts, and says whether they are all. */
  findWritten(
    hold: HoldRow,
  ): Promise<{ readonly eventIds: Readonly<Record<string, string>>; readonly isWhole: boolean }>;
  /** Removes the events of a confirmation or a booking. False as with `hideTentative`. */
  removeWritten(hold: HoldRow): Promise<boolean>;
}

export function createHoldEvents({
  events,
  logger,
}: {
  readonly events: HoldTarget;
  readonly logger: Logger;
}): HoldEvents {
  /** Removes something at each place. False when some may be left: a refusal is final, everything else may pass. */
  async function removeEach<Item extends Place>(
    hold: HoldRow,
    places: readonly Item[],
    remove: (caller: Caller, place: Item) => Promise<unknown>,
  ): Promise<boolean> {
    const caller = { applicationId: hold.applicationId };
    let isLeft = false;
    await inParallel(places, async (place) => {
      try {
        await foundOrNull(remove(caller, place));
      } catch (error) {
        const { accountId, calendarId } = place;
        const about = { holdId: hold.id, accountId, calendarId, error: describeError(error) };
        logger.warn('an event of a hold could not be removed', about);
        if (!isRefusal(error) || isOfAccess(error)) isLeft = true;
      }
    });
    return !isLeft;
  }

  async function removeCreated(caller: Caller, hold: HoldRow, place: Place, purpose: Purpose): Promise<void> {
    const { accountId, calendarId } = place;
    const found = await events.findCreated(caller, accountId, calendarId, {
      requestId: requestIdOf(hold, place, purpose),
    });
    if (found.kind === 'present') await events.delete(caller, accountId, calendarId, found.eventId, notifyOf(hold));
  }

  /**
   * Writes the copy of a participant, who has an event of their own and is not invited. One that has no room for the meeting's link goes
   * without: the organizer's event, which is written already, has it.
   */
  async function writeCopy(order: WriteOrder, place: Place, organized: CalendarEvent): Promise<string> {
    const { caller, hold } = order;
    const { accountId, calendarId } = place;
    const request = { requestId: requestIdOf(hold, place, 'booking'), ...notifyOf(hold) };
    const copy = copyOf(order);
    const linked = withLink(copy, linkOf(order, organized));
    const body = (await isAccepted(order, place, linked)) ? linked : copy;
    return (await events.create(caller, accountId, calendarId, body, request)).id;
  }

  async function isAccepted({ caller, hold }: WriteOrder, place: Place, body: EventCreate): Promise<boolean> {
    try {
      await events.check(caller, place.accountId, place.calendarId, body, notifyOf(hold));
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return false;
    }
  }

  async function writeEach(order: WriteOrder) {
    const { caller, hold } = order;
    const [organizer = placeOf(undefined), ...others] = placesOf(hold, hold.writeTo);
    const { accountId, calendarId } = organizer;
    const body = organizedEvent(order);
    // Before the first is written: a refusal of a later one has to undo it, which its guests see.
    await inParallel(others, async (place) => {
      await events.check(caller, place.accountId, place.calendarId, copyOf(order), notifyOf(hold));
    });
    const request = {
      idempotencyKey: `hold ${hold.id}`,
      requestId: requestIdOf(hold, organizer, 'booking'),
      ...notifyOf(hold),
    };
    const written = await events.create(caller, accountId, calendarId, body, request);
    const eventIds: Record<string, string> = { [accountId]: written.id };
    await inParallel(others, async (place) => {
      eventIds[place.accountId] = await writeCopy(order, place, written);
    });
    return { event: written, eventIds };
  }

  return {
    async showTentative(caller, hold, title) {
      const body = { title, showAs: 'tentative', reminders: NO_REMINDERS, ...timesIn(hold) } satisfies EventCreate;
      await inParallel(placesOf(hold, hold.tentative), async (place) => {
        const { accountId, calendarId } = place;
        const requestId = requestIdOf(hold, place, 'tentative');
        await events.create(caller, accountId, calendarId, body, { requestId });
      });
    },

    hideTentative: (hold) =>
      removeEach(hold, placesOf(hold, hold.tentative), (caller, place) =>
        removeCreated(caller, hold, place, 'tentative'),
      ),

    async write(order) {
      try {
        return await writeEach(order);
      } catch (error) {
        throw inBody(error, order.event);
      }
    },

    async findWritten(hold) {
      const caller = { applicationId: hold.applicationId };
      const places = placesOf(hold, hold.writeTo);
      const eventIds: Record<string, string> = {};
      await inParallel(places, async (place) => {
        const { accountId, calendarId } = place;
        const key = { requestId: requestIdOf(hold, place, 'booking') };
        const found = await foundOrNull(events.findCreated(caller, accountId, calendarId, key));
        if (found?.kind === 'present') eventIds[accountId] = found.eventId;
      });
      return { eventIds, isWhole: Object.keys(eventIds).length === places.length };
    },

    async removeWritten(hold) {
      const booked = bookedEvents(hold);
      if (booked.length > 0) {
        return await removeEach(hold, booked, (caller, { accountId, calendarId, eventId }) =>
          events.delete(caller, accountId, calendarId, eventId, notifyOf(hold)),
        );
      }
      return await removeEach(hold, placesOf(hold, hold.writeTo), (caller, place) =>
        removeCreated(caller, hold, place, 'booking'),
      );
    },
  };
}

type Purpose = 'tentative' | 'booking';

const NO_REMINDERS = { useDefault: false, isReminderOn: false, overrides: [] };

/** 32 hexadecimal digits, as providers take them. */
function requestIdOf({ id }: HoldRow, { accountId }: Place, purpose: Purpose): string {
  return createHash('sha256')
    .update(JSON.stringify(['hold', id, accountId, purpose]))
    .digest('hex')
    .slice(0, 32);
}

function notifyOf({ notifyAttendees }: HoldRow) {
  return notifyAttendees === null ? {} : { notifyAttendees };
}

/** Returns the organizer's event. Participants without an event of their own are invited, unless they are attendees already. */
function organizedEvent({ hold, event, emails }: WriteOrder): EventCreate {
  const attendees = [...(event.attendees ?? [])];
  const [organizer = '', ...others] = emails;
  const known = new Set([organizer, ...attendees.map(({ email }) => email)].map((email) => email.toLowerCase()));
  for (const email of hold.writeTo === 'each' ? [] : others) {
    if (email !== '' && !known.has(email.toLowerCase())) attendees.push({ email });
    known.add(email.toLowerCase());
  }
  return { ...event, ...timesIn(hold), ...(attendees.length === 0 ? {} : { attendees }) };
}

/** Returns an error that names fields of the event as the body of a confirmation has them. */
function inBody(error: unknown, event: HoldEvent): unknown {
  if (!KalendsError.isInstance(error) || error.details === undefined) return error;
  const inEvent = (path: string) => (Object.hasOwn(event, path.split('.', 1)[0] ?? '') ? `event.${path}` : path);
  return withDetails(
    error,
    error.details.map(({ path, message }) => ({ path: inEvent(path), message })),
  );
}

/** Returns what of an event its copies have: the guests and the meeting are the organizer's. */
function copyOf({ hold, event }: WriteOrder): EventCreate {
  const { attendees: _, conferenceData: __, generateMeetingUrlProvider: ___, ...copy } = event;
  return { ...copy, ...timesIn(hold) };
}

function linkOf({ event: { conferenceData } }: WriteOrder, organized: CalendarEvent): string | undefined {
  return organized.conferenceData?.joinUrl ?? conferenceData?.joinUrl;
}

/** Returns a copy that shows the link to the meeting as text. */
function withLink(copy: EventCreate, link: string | undefined): EventCreate {
  if (link === undefined || [copy.location, copy.description].some((text) => text?.includes(link) === true))
    return copy;
  if (copy.location == null || copy.location === '') return { ...copy, location: link };
  return { ...copy, description: copy.description == null ? link : `${copy.description}\n\n${link}` };
}
