import { DAY_MS, type Rule, ZONE } from './edit.ts';
import { type Acts, type Call, clock, instantText, type Json, lineOf, nextDate, type Times } from './provider-acts.ts';

export function googleActs(call: Call): Acts {
  const path = (calendarId: string, ...rest: string[]) =>
    `/calendars/${[calendarId, 'events', ...rest].map(encodeURIComponent).join('/')}`;
  const point = (date: string, text: string) => ({ dateTime: `${date}T${text}`, timeZone: ZONE });
  const bodyOf = ({ isAllDay, date, hour }: Times) =>
    isAllDay
      ? { start: { date }, end: { date: nextDate(date) } }
      : { start: point(date, clock(hour)), end: point(date, clock(hour, '45')) };
  const lineOfRule = ({ frequency, interval, count }: Rule) =>
    `RRULE:FREQ=${frequency};INTERVAL=${interval};COUNT=${count}`;
  const all = async (url: string) => {
    const { items } = await call('GET', `${url}${url.includes('?') ? '&' : '?'}maxResults=2500`);
    return items as readonly Json[];
  };
  const text = (time: Json) => time.date ?? instantText(time.dateTime);

  return {
    async calendars() {
      const other = await call('POST', '/calendars', { summary: 'Other', timeZone: ZONE });
      const { items } = await call('GET', '/users/me/calendarList');
      return [items.find((item: Json) => item.primary === true).id, other.id];
    },
    async list(calendarId) {
      const items = await all(path(calendarId));
      return items
        .filter((item) => item.recurringEventId === undefined)
        .map((wire) => ({ id: wire.id, isSeries: wire.recurrence !== undefined, wire }));
    },
    async objects(calendarId) {
      const items = await all(path(calendarId));
      return items
        .filter(({ status }) => status !== 'cancelled')
        .map(({ id, recurringEventId }) => ({ id, seriesId: recurringEventId ?? null }));
    },
    async slots(calendarId, seriesId) {
      const items = await all(`${path(calendarId, seriesId, 'instances')}?showDeleted=true`);
      return items.map((wire) => ({ id: wire.id, wire }));
    },
    async create(calendarId, title, times, rule) {
      const recurrence = rule === undefined ? {} : { recurrence: [lineOfRule(rule)] };
      await call('POST', path(calendarId), { summary: title, ...bodyOf(times), ...recurrence });
    },
    async retitle(calendarId, id, title) {
      await call('PATCH', path(calendarId, id), { summary: title });
    },
    async reschedule(calendarId, wire, times) {
      const isAllDay = wire.start.date !== undefined;
      await call('PATCH', path(calendarId, wire.id), bodyOf({ ...times, isAllDay }));
    },
    async changeRule(calendarId, wire, rule) {
      await call('PATCH', path(calendarId, wire.id), { recurrence: [lineOfRule(rule)] });
    },
    async moveSlot(calendarId, wire, hour) {
      if (wire.start.date !== undefined) {
        const date = nextDate(wire.start.date);
        await call('PATCH', path(calendarId, wire.id), bodyOf({ isAllDay: true, date, hour }));
        return;
      }
      const date = wire.start.dateTime.slice(0, 10);
      await call('PATCH', path(calendarId, wire.id), bodyOf({ isAllDay: false, date, hour }));
    },
    async remove(calendarId, id) {
      await call('DELETE', path(calendarId, id));
    },
    async restore(calendarId, id) {
      await call('PATCH', path(calendarId, id), { status: 'confirmed' });
    },
    async split(calendarId, master, slot, title) {
      const { start, end, originalStartTime } = slot;
      const until =
        originalStartTime.date === undefined
          ? `${new Date(Date.parse(originalStartTime.dateTime) - 1000).toISOString().replace(/[-:]|\.\d+/g, '')}`
          : new Date(Date.parse(originalStartTime.date) - DAY_MS).toISOString().slice(0, 10).replace(/-/g, '');
      const rule = master.recurrence.find((line: string) => line.startsWith('RRULE:'));
      await call('PATCH', path(calendarId, master.id), {
        recurrence: [`${rule.replace(/;(COUNT|UNTIL)=[^;]*/, '')};UNTIL=${until}`],
      });
      await call('POST', path(calendarId), {
        summary: title,
        start: originalStartTime.date === undefined ? { dateTime: start.dateTime, timeZone: ZONE } : start,
        end: originalStartTime.date === undefined ? { dateTime: end.dateTime, timeZone: ZONE } : end,
        recurrence: [rule.replace(/;(COUNT|UNTIL)=[^;]*/, ';COUNT=3')],
      });
    },
    async transfer(calendarId, id, toCalendarId) {
      await call('POST', `${path(calendarId, id, 'move')}?destination=${encodeURIComponent(toCalendarId)}`);
    },
    async occurrences(calendarId, from, to) {
      const range = `timeMin=${new Date(from).toISOString()}&timeMax=${new Date(to).toISOString()}`;
      const items = await all(`${path(calendarId)}?singleEvents=true&${range}`);
      return items.map((item) => {
        const slot = item.originalStartTime === undefined ? undefined : text(item.originalStartTime);
        return lineOf(item.recurringEventId ?? item.id, slot, item.summary ?? '', text(item.start), text(item.end));
      });
    },
  };
}
