import { DAY_MS, FIRST_DAY, type Rule, ZONE } from './edit.ts';
import { type Acts, type Call, clock, instantText, type Json, lineOf, nextDate, type Times } from './provider-acts.ts';

/** Graph gives originalStart only when it is selected. */
const LINE_FIELDS = 'id,subject,isAllDay,start,end,seriesMasterId,originalStart';

export function microsoftActs(call: Call): Acts {
  const below = (calendarId: string) => `/me/calendars/${encodeURIComponent(calendarId)}`;
  const eventPath = (id: string) => `/me/events/${encodeURIComponent(id)}`;
  const point = (date: string, text: string) => ({ dateTime: `${date}T${text}`, timeZone: ZONE });
  const bodyOf = ({ isAllDay, date, hour }: Times) =>
    isAllDay
      ? { isAllDay, start: point(date, clock(0)), end: point(nextDate(date), clock(0)) }
      : { isAllDay, start: point(date, clock(hour)), end: point(date, clock(hour, '45')) };
  const patternOf = (date: string, { frequency, interval, count }: Rule) => {
    const dayOfWeek = new Date(date).toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' }).toLowerCase();
    return {
      pattern:
        frequency === 'DAILY' ? { type: 'daily', interval } : { type: 'weekly', interval, daysOfWeek: [dayOfWeek] },
      range: { type: 'numbered', startDate: date, numberOfOccurrences: count, recurrenceTimeZone: ZONE },
    };
  };
  const all = async (url: string) => {
    const { value } = await call('GET', `${url}${url.includes('?') ? '&' : '?'}$top=999`);
    return value as readonly Json[];
  };
  const wide = (from: number, to: number) =>
    `startDateTime=${new Date(from).toISOString()}&endDateTime=${new Date(to).toISOString()}`;
  const text = (item: Json, time: Json) =>
    item.isAllDay ? time.dateTime.slice(0, 10) : instantText(`${time.dateTime.slice(0, 19)}Z`);
  const dateIn = (utc: string) => new Date(`${utc.slice(0, 19)}Z`).toLocaleDateString('sv-SE', { timeZone: ZONE });
  const dateOfItem = (item: Json) => (item.isAllDay ? item.start.dateTime.slice(0, 10) : dateIn(item.start.dateTime));

  const self: Acts = {
    async calendars() {
      const other = await call('POST', '/me/calendars', { name: 'Other' });
      const { value } = await call('GET', '/me/calendars');
      return [value.find((item: Json) => item.isDefaultCalendar).id, other.id];
    },
    async list(calendarId) {
      const items = await all(`${below(calendarId)}/events`);
      return items.map((wire) => ({ id: wire.id, isSeries: wire.type === 'seriesMaster', wire }));
    },
    async objects(calendarId) {
      const events = await self.list(calendarId);
      const series = events.filter(({ isSeries }) => isSeries);
      const slots = await Promise.all(series.map(({ id }) => self.slots(calendarId, id)));
      const exceptions = slots.flat().filter(({ wire }) => wire.type === 'exception' && wire.isCancelled !== true);
      return [
        ...events.map(({ id }) => ({ id, seriesId: null })),
        ...exceptions.map(({ id, wire }) => ({ id, seriesId: wire.seriesMasterId })),
      ];
    },
    async slots(_calendarId, seriesId) {
      const items = await all(
        `${eventPath(seriesId)}/instances?${wide(FIRST_DAY - 60 * DAY_MS, FIRST_DAY + 400 * DAY_MS)}`,
      );
      return items.map((wire) => ({ id: wire.id, wire }));
    },
    async create(calendarId, title, times, rule) {
      const recurrence = rule === undefined ? {} : { recurrence: patternOf(times.date, rule) };
      await call('POST', `${below(calendarId)}/events`, { subject: title, ...bodyOf(times), ...recurrence });
    },
    async retitle(_calendarId, id, title) {
      await call('PATCH', eventPath(id), { subject: title });
    },
    async reschedule(_calendarId, wire, times) {
      const rule = wire.recurrence;
      const recurrence = rule == null ? {} : { recurrence: patternOf(times.date, ruleOf(rule)) };
      await call('PATCH', eventPath(wire.id), { ...bodyOf({ ...times, isAllDay: wire.isAllDay }), ...recurrence });
    },
    async changeRule(_calendarId, wire, rule) {
      await call('PATCH', eventPath(wire.id), { recurrence: patternOf(dateOfItem(wire), rule) });
    },
    async moveSlot(_calendarId, wire, hour) {
      // An occurrence may not move onto or beyond its neighbour: Graph moves all-day ones nowhere in a daily series.
      if (wire.isAllDay) {
        await call('PATCH', eventPath(wire.id), { subject: `moved ${hour}` });
        return;
      }
      const date = dateIn(wire.start.dateTime);
      await call('PATCH', eventPath(wire.id), bodyOf({ isAllDay: false, date, hour }));
    },
    async remove(_calendarId, id) {
      await call('DELETE', eventPath(id));
    },
    async split(calendarId, master, slot, title) {
      const date = dateOfItem({ isAllDay: slot.isAllDay, start: slot.start });
      const { pattern, range } = master.recurrence;
      const endDate = new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10);
      await call('PATCH', eventPath(master.id), {
        recurrence: {
          pattern,
          range: { type: 'endDate', startDate: range.startDate, endDate, recurrenceTimeZone: ZONE },
        },
      });
      const rule = { ...ruleOf(master.recurrence), count: 3 };
      await call('POST', `${below(calendarId)}/events`, {
        subject: title,
        ...bodyOf({ isAllDay: slot.isAllDay, date, hour: 9 }),
        recurrence: patternOf(date, rule),
      });
    },
    async occurrences(calendarId, from, to) {
      const items = await all(`${below(calendarId)}/calendarView?${wide(from, to)}&$select=${LINE_FIELDS}`);
      return items.map((item) => {
        const { seriesMasterId, originalStart } = item;
        const slot =
          seriesMasterId == null ? undefined : item.isAllDay ? dateIn(originalStart) : instantText(originalStart);
        return lineOf(
          seriesMasterId ?? item.id,
          slot,
          item.subject ?? '',
          text(item, item.start),
          text(item, item.end),
        );
      });
    },
  };
  return self;
}

function ruleOf({ pattern, range }: Json): Rule {
  return {
    frequency: pattern.type === 'daily' ? 'DAILY' : 'WEEKLY',
    interval: pattern.interval,
    count: range.numberOfOccurrences || 4,
  };
}
