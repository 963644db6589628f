import type { Sandbox } from '@kalends/sandbox';

export type ProviderName = 'google' | 'microsoft';

// biome-ignore lint/suspicious/noExplicitAny: the provider's JSON of every shape
export type Json = any;

/** One change that a person makes at the provider, past the engine. Numbers pick among what is there, modulo its size. */
export interface Edit {
  readonly kind: EditKind;
  /** Which event or series. */
  readonly pick: number;
  /** Which of the series' slots. */
  readonly slot: number;
  /** Days after the first day of the test. */
  readonly day: number;
  readonly hour: number;
  readonly isAllDay: boolean;
  readonly rule: Rule;
  readonly title: string;
}

export interface Rule {
  readonly frequency: 'DAILY' | 'WEEKLY';
  readonly interval: number;
  readonly count: number;
}

export const EDIT_KINDS = [
  'single',
  'series',
  'retitle',
  'reschedule',
  'change-rule',
  'move-slot',
  'retitle-slot',
  'cancel-slot',
  'restore-slot',
  'split',
  'delete',
  'transfer',
] as const;
export type EditKind = (typeof EDIT_KINDS)[number];

/** What a list of occurrences must hold, each as one line: whose slot it is, title, start and end. */
export type Lines = readonly string[];

/** Somebody with a mailbox and two calendars who changes them with the provider's own program. */
export interface Person {
  readonly provider: ProviderName;
  readonly email: string;
  /** The primary calendar, and another one. */
  readonly calendarIds: readonly [string, string];
  /** Makes the change in one of the calendars. Resolves with whether there was anything to change. */
  edit(change: Edit, calendar?: 0 | 1): Promise<boolean>;
  /** Ids of single events and masters, in the order that `pick` counts in. */
  ids(calendar: 0 | 1): Promise<readonly string[]>;
  /** What the provider itself says that happens in [from, to), expanded, ascending as text. */
  occurrences(calendar: 0 | 1, from: number, to: number): Promise<Lines>;
  /** Calls the provider's API. `path` is below `/calendar/v3` or `/v1.0`. */
  call(method: string, path: string, body?: unknown): Promise<Json>;
}

export const FIRST_DAY = Date.UTC(2026, 2, 2);
export const ZONE = 'Europe/Berlin';
const DAY_MS = 86_400_000;
const ORIGIN = 'http://sandbox.test';

export function dateOf(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
}

/** Creates the mailbox with its second calendar. `heard` gets the body of every request. */
export async function createPerson(
  sandbox: Sandbox,
  provider: ProviderName,
  email: string,
  heard: (body: string) => void = () => undefined,
): Promise<Person> {
  const server = sandbox[provider];
  server.addMailbox({ email, name: 'Person', timeZone: ZONE });
  const root = `${ORIGIN}/${provider}`;
  let token: string | undefined;

  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    if (body !== undefined) heard(JSON.stringify(body));
    for (let isSecond = false; ; isSecond = true) {
      token ??= await sandbox.accessToken({ provider, email });
      const request = new Request(`${ORIGIN}/${provider === 'google' ? 'calendar/v3' : 'v1.0'}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          prefer: 'IdType="ImmutableId", outlook.timezone="UTC"',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const response = await server.fetch(request, root);
      const text = await response.text();
      if (response.status === 401 && !isSecond) {
        token = undefined;
        continue;
      }
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    }
  };
  const act = provider === 'google' ? googleActs(call) : microsoftActs(call);
  const calendarIds = await act.calendars();
  return {
    provider,
    email,
    calendarIds,
    call,
    edit: (change, calendar = 0) => perform(act, calendarIds[calendar], calendarIds[1 - calendar]!, change),
    ids: async (calendar) => (await act.list(calendarIds[calendar])).map(({ id }) => id),
    occurrences: async (calendar, from, to) => [...(await act.occurrences(calendarIds[calendar], from, to))].sort(),
  };
}

/** A start and an end, as the person types them. */
interface Times {
  readonly isAllDay: boolean;
  readonly date: string;
  readonly hour: number;
}

/** What can be done with one provider's own API. */
export interface Acts {
  calendars(): Promise<readonly [string, string]>;
  /** Single events and masters. */
  list(
    calendarId: string,
  ): Promise<readonly { readonly id: string; readonly isSeries: boolean; readonly wire: Json }[]>;
  /** Slots of a series, cancelled ones included where the provider shows them. */
  slots(calendarId: string, seriesId: string): Promise<readonly { readonly id: string; readonly wire: Json }[]>;
  create(calendarId: string, title: string, times: Times, rule?: Rule): Promise<void>;
  retitle(calendarId: string, id: string, title: string): Promise<void>;
  reschedule(calendarId: string, wire: Json, times: Times): Promise<void>;
  changeRule(calendarId: string, wire: Json, rule: Rule): Promise<void>;
  /** Another hour of the same day. */
  moveSlot(calendarId: string, wire: Json, hour: number): Promise<void>;
  remove(calendarId: string, id: string): Promise<void>;
  restore?(calendarId: string, id: string): Promise<void>;
  /** Ends the series before the slot and begins another one there. */
  split(calendarId: string, master: Json, slot: Json, title: string): Promise<void>;
  transfer?(calendarId: string, id: string, toCalendarId: string): Promise<void>;
  occurrences(calendarId: string, from: number, to: number): Promise<Lines>;
}

async function perform(act: Acts, calendarId: string, otherId: string, change: Edit): Promise<boolean> {
  const { kind, title, hour, isAllDay, rule } = change;
  const times = { isAllDay, date: dateOf(change.day), hour };
  if (kind === 'single' || kind === 'series') {
    await act.create(calendarId, title, times, kind === 'series' ? rule : undefined);
    return true;
  }
  const all = await act.list(calendarId);
  const isOfSeries = ['change-rule', 'move-slot', 'retitle-slot', 'cancel-slot', 'restore-slot', 'split'].includes(
    kind,
  );
  const fitting = isOfSeries ? all.filter(({ isSeries }) => isSeries) : all;
  const event = fitting[change.pick % Math.max(1, fitting.length)];
  if (event === undefined) return false;
  switch (kind) {
    case 'retitle':
      await act.retitle(calendarId, event.id, title);
      return true;
    case 'reschedule':
      await act.reschedule(calendarId, event.wire, times);
      return true;
    case 'change-rule':
      await act.changeRule(calendarId, event.wire, rule);
      return true;
    case 'delete':
      await act.remove(calendarId, event.id);
      return true;
    case 'transfer':
      await act.transfer?.(calendarId, event.id, otherId);
      return act.transfer !== undefined;
    default:
      return await performOnSlot(act, calendarId, event, change);
  }
}

async function performOnSlot(
  act: Acts,
  calendarId: string,
  event: { readonly id: string; readonly wire: Json },
  { kind, slot: number, hour, title }: Edit,
): Promise<boolean> {
  const all = await act.slots(calendarId, event.id);
  const slots = kind === 'restore-slot' ? all.filter(({ wire }) => wire.status === 'cancelled') : living(all);
  const slot = slots[number % Math.max(1, slots.length)];
  if (slot === undefined) return false;
  switch (kind) {
    case 'move-slot':
      await act.moveSlot(calendarId, slot.wire, hour);
      return true;
    case 'retitle-slot':
      await act.retitle(calendarId, slot.id, title);
      return true;
    case 'cancel-slot':
      // A series of which nothing is left is another matter: the providers differ in what becomes of it.
      if (slots.length === 1) return false;
      await act.remove(calendarId, slot.id);
      return true;
    case 'restore-slot':
      await act.restore?.(calendarId, slot.id);
      return act.restore !== undefined;
    default:
      if (slot === slots[0]) return false;
      await act.split(calendarId, event.wire, slot.wire, title);
      return true;
  }
}

function living<Slot extends { readonly wire: Json }>(slots: readonly Slot[]): readonly Slot[] {
  return slots.filter(({ wire }) => wire.status !== 'cancelled' && wire.isCancelled !== true);
}

const nextDate = (date: string) => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);
const clock = (hour: number, minutes = '00') => `${String(hour).padStart(2, '0')}:${minutes}:00`;

/** One line of an answer; `start` and `end` are instants or dates. */
export function lineOf(
  id: string,
  recurrenceId: string | undefined,
  title: string,
  start: string,
  end: string,
): string {
  return [id, recurrenceId ?? '-', title, start, end].join(' | ');
}

export const instantText = (text: string) => new Date(text).toISOString();

type Call = Person['call'];

function googleActs(call: Call): Acts {
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

function microsoftActs(call: Call): Acts {
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

  return {
    async calendars() {
      const other = await call('POST', '/me/calendars', { name: 'Other' });
      const { value } = await call('GET', '/me/calendars');
      return [value.find((item: Json) => item.isDefaultCalendar).id, other.id];
    },
    async list(calendarId) {
      const items = await all(`${below(calendarId)}/events`);
      return items.map((wire) => ({ id: wire.id, isSeries: wire.type === 'seriesMaster', wire }));
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
      const items = await all(`${below(calendarId)}/calendarView?${wide(from, to)}`);
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
}

function ruleOf({ pattern, range }: Json): Rule {
  return {
    frequency: pattern.type === 'daily' ? 'DAILY' : 'WEEKLY',
    interval: pattern.interval,
    count: range.numberOfOccurrences || 4,
  };
}
