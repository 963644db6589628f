// What can be booked, with whom and when: the calls of the kalends client.
import { ApiError } from '@kalends/client';

/** @typedef {{ id: string, name: string }} Host */
/** @typedef {{ startDateTime: string, endDateTime: string }} Slot */
/** @typedef {{ code: 'SlotTaken', nextSlots: Slot[] } | { code: 'HoldExpired' }} Refusal */

/** Stands for whichever host is next. */
const TEAM = 'team';
/** Bookings that count for whose turn it is: kalends records them under this name. */
const ROUND_ROBIN = { pool: 'introductions' };
const TITLE = 'Introduction';
const HOLD_SECONDS = 300;
const DAY_MS = 86_400_000;
/** @type {import('@kalends/client').WeeklyHours[]} */
const OPEN_HOURS = [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' }];
const RULES = {
  durationMinutes: 30,
  stepMinutes: 30,
  noticeMinutes: 60,
  rules: { openHours: OPEN_HOURS },
};

/**
 * Returns the site's own operations. Each refusal that a person can act on is returned; other errors are thrown.
 * @param {import('@kalends/client').Client} client
 */
export function createBookings(client) {
  /** @param {string} accountId */
  async function calendarsOf(accountId) {
    const own = [];
    for await (const calendar of client.calendars.list(accountId)) if (!calendar.isShared) own.push(calendar);
    // The event is written to the first one.
    own.sort((a, b) => Number(a.readOnly) - Number(b.readOnly) || Number(b.isPrimary) - Number(a.isPrimary));
    return own.slice(0, 50);
  }

  /** Returns the people who can be booked: here, all mailboxes that are connected and can take the event. */
  async function findHosts() {
    const hosts = [];
    for await (const { id, email, status } of client.accounts.list()) {
      const calendars = status === 'ACTIVE' ? await calendarsOf(id) : [];
      // A calendar feed can be read alone: one candidate without a place for the event would have every hold refused.
      if (calendars[0]?.readOnly === false) hosts.push({ id, name: email, calendars });
    }
    return hosts;
  }

  /**
   * Returns those of whom one meets: a host, or the whole team.
   * @param {string} who
   */
  async function candidatesOf(who) {
    const hosts = (await findHosts()).filter(({ id }) => who === TEAM || id === who);
    if (hosts.length === 0) throw new RangeError('There is no such host.');
    return hosts.map(({ id, calendars }) => ({
      endUserAccountId: id,
      calendarIds: calendars.map((calendar) => calendar.id),
      // Working hours are those of the host, wherever the person is who books.
      timeZone: calendars[0]?.timeZone,
    }));
  }

  /**
   * Returns the times that are offered, in the zone of the person.
   * @param {string} who
   * @param {{ startDateTime: string, endDateTime: string, timeZone: string, limit?: number }} window
   */
  async function findSlots(who, window) {
    const participants = (await candidatesOf(who)).map(({ endUserAccountId, calendarIds, timeZone }) => ({
      id: endUserAccountId,
      accounts: [{ endUserAccountId, calendarIds }],
      timeZone,
    }));
    const query = { ...RULES, mode: /** @type {const} */ ('round-robin'), roundRobin: ROUND_ROBIN, participants };
    const { slots = [] } = await client.availability({ ...query, limit: 1_000, ...window });
    return slots.map(({ start, end }) => ({ startDateTime: start.dateTime, endDateTime: end.dateTime }));
  }

  /**
   * Returns what to offer in place of a slot that is taken: by the rules with which it was held.
   * @param {unknown} error
   * @returns {Refusal}
   */
  function refusalOf(error) {
    if (!(error instanceof ApiError) || error.code !== 'SlotTaken') throw error;
    return { code: 'SlotTaken', nextSlots: error.nextSlots };
  }

  /**
   * Returns the slot that begins then, or what is offered next in its place: the browser says which, so it is checked.
   * @param {string} who @param {string} startDateTime @param {string} timeZone
   * @returns {Promise<Slot | Refusal>}
   */
  async function findOffered(who, startDateTime, timeZone) {
    const startMs = Date.parse(startDateTime);
    const endDateTime = new Date(startMs + 14 * DAY_MS).toISOString();
    const slots = await findSlots(who, { startDateTime, endDateTime, timeZone, limit: 5 });
    const isOffered = slots[0] !== undefined && Date.parse(slots[0].startDateTime) === startMs;
    return isOffered ? slots[0] : { code: 'SlotTaken', nextSlots: slots };
  }

  return {
    /** @returns {Promise<Host[]>} */
    listHosts: async () => (await findHosts()).map(({ id, name }) => ({ id, name })),

    /** @param {string} who @param {{ startDateTime: string, endDateTime: string, timeZone: string }} window */
    slots: (who, window) => findSlots(who, window),

    /**
     * Takes a slot for the host who is next of those who are free.
     * @param {string} who @param {string} startDateTime @param {string} timeZone
     */
    async hold(who, startDateTime, timeZone) {
      const slot = await findOffered(who, startDateTime, timeZone);
      if ('code' in slot) return slot;
      const { durationMinutes: _, ...rules } = RULES;
      try {
        const { id, assignment } = await client.holds.create({
          roundRobin: { ...ROUND_ROBIN, candidates: await candidatesOf(who) },
          startDateTime,
          endDateTime: slot.endDateTime,
          timeZone,
          expiresInSeconds: HOLD_SECONDS,
          ...rules,
        });
        return { id, expiresInSeconds: HOLD_SECONDS, ...slot, host: assignment?.endUserAccountId };
      } catch (error) {
        return refusalOf(error);
      }
    },

    /** @param {string} holdId */
    async release(holdId) {
      await client.holds.delete(holdId);
      return {};
    },

    /**
     * Writes the event, and returns the token of the links to move and cancel it.
     * @param {string} holdId @param {{ name: string, email: string }} person
     */
    async confirm(holdId, { name, email }) {
      const event = { title: `${TITLE}: ${name}`, attendees: [{ email, name }] };
      try {
        const { token } = await client.holds.confirm(holdId, { event });
        return { token };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'Conflict') {
          const { status } = await client.holds.get(holdId);
          if (status === 'expired') return { code: /** @type {const} */ ('HoldExpired') };
        }
        return refusalOf(error);
      }
    },

    /** @param {string} token */
    async read(token) {
      const { startDateTime, endDateTime, timeZone, endUserAccountId, event } = await client.bookings.get(token);
      const { email } = await client.accounts.get(endUserAccountId);
      // The host may have moved the event in their own calendar.
      return {
        startDateTime: event?.start.dateTime ?? startDateTime,
        endDateTime: event?.end.dateTime ?? endDateTime,
        timeZone,
        who: endUserAccountId,
        host: email,
        title: event?.title ?? TITLE,
        // The host may have deleted the event.
        isCancelled: event === null,
      };
    },

    /** @param {string} token @param {string} startDateTime @param {string} timeZone */
    async move(token, startDateTime, timeZone) {
      const { endUserAccountId: who } = await client.bookings.get(token);
      const slot = await findOffered(who, startDateTime, timeZone);
      if ('code' in slot) return slot;
      try {
        await client.bookings.move(token, { startDateTime, endDateTime: slot.endDateTime, timeZone });
        return {};
      } catch (error) {
        return refusalOf(error);
      }
    },

    /** @param {string} token */
    async cancel(token) {
      await client.bookings.cancel(token);
      return {};
    },
  };
}
