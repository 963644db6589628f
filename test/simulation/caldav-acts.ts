import type ICAL from 'ical.js';
import { DAY_MS, type Rule, ZONE } from './edit.ts';
import {
  componentAt,
  eventsOf,
  exceptionAt,
  instantOfPoint,
  lengthOf,
  masterOf,
  newObject,
  type Point,
  parseIcs,
  pointLine,
  pointsOf,
  pointText,
  setLines,
  setTimes,
  slotKey,
  slotsOf,
  startOf,
} from './ics-object.ts';
import { type Acts, lineOf, type Times } from './provider-acts.ts';

/** Calls of one person to a CalDAV server. Paths are decoded, with the server's root. */
export interface CaldavCalls {
  now(): number;
  /** Path of the collection of calendars. */
  readonly home: string;
  send(
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly tag: string }>;
  /** The objects of a calendar as the server keeps them. */
  objects(calendarPath: string): readonly { readonly name: string; readonly data: string }[];
}

interface OpenObject {
  readonly path: string;
  readonly tag: string;
  readonly root: ICAL.Component;
}

const MINUTE_MS = 60_000;

const idOf = (path: string): string => Buffer.from(path).toString('base64url');
const pathOf = (id: string): string => Buffer.from(id, 'base64url').toString();
const titleOf = (event: ICAL.Component): string => String(event.getFirstPropertyValue('summary') ?? '');
const isStanding = (event: ICAL.Component): boolean => event.getFirstPropertyValue('status') !== 'CANCELLED';

function timesOf({ isAllDay, date, hour }: Times): { readonly start: Point; readonly lengthMs: number } {
  if (isAllDay) return { start: { wallMs: Date.parse(date), form: 'date' }, lengthMs: DAY_MS };
  return { start: { wallMs: Date.parse(date) + hour * 60 * MINUTE_MS, form: ZONE }, lengthMs: 45 * MINUTE_MS };
}

const ruleLine = ({ frequency, interval, count }: Rule): string =>
  `RRULE:FREQ=${frequency};INTERVAL=${interval};COUNT=${count}`;

/** Ids are those of the engine: paths, and slots behind a full stop. */
export function caldavActs({ now, home, send, objects }: CaldavCalls): Acts {
  let made = 0;

  const stored = (calendarId: string) =>
    objects(pathOf(calendarId)).map(({ name, data }) => ({
      id: idOf(`${pathOf(calendarId)}${name}`),
      root: parseIcs(data),
    }));

  async function open(calendarId: string, id: string): Promise<OpenObject> {
    const path = pathOf(id);
    const { tag } = await send('HEAD', path);
    const found = stored(calendarId).find((object) => object.id === id);
    if (found === undefined) throw new Error(`nothing is at ${path}`);
    return { path, tag, root: found.root };
  }

  /** Writes as programs do: an object that is put back as it was differs by the time of its last change. */
  const put = (path: string, root: ICAL.Component, condition: Readonly<Record<string, string>>) => {
    const changedAt = { wallMs: now(), form: 'utc' };
    for (const event of eventsOf(root)) setLines(event, [pointLine('LAST-MODIFIED', changedAt)]);
    return send('PUT', path, root.toString(), { 'content-type': 'text/calendar; charset=utf-8', ...condition });
  };

  /** Changes the object of an id, seen by the slot that the id has. */
  async function change(
    calendarId: string,
    id: string,
    edit: (root: ICAL.Component, slot: string | undefined) => void,
  ): Promise<void> {
    const [objectId = '', slot] = id.split('.');
    const { path, tag, root } = await open(calendarId, objectId);
    edit(root, slot);
    await put(path, root, { 'if-match': tag });
  }

  const create: Acts['create'] = async (calendarId, title, times, rule) => {
    made += 1;
    const { start, lengthMs } = timesOf(times);
    const root = newObject([`UID:made-${made}`, `SUMMARY:${title}`, ...(rule === undefined ? [] : [ruleLine(rule)])]);
    setTimes(masterIn(root), start, lengthMs);
    await put(`${pathOf(calendarId)}made-${made}.ics`, root, { 'if-none-match': '*' });
  };

  return {
    async calendars() {
      await send('MKCALENDAR', `${home}other/`);
      return [idOf(`${home}personal/`), idOf(`${home}other/`)];
    },
    async list(calendarId) {
      return stored(calendarId).map(({ id, root }) => {
        const master = masterOf(root);
        const isAllDay = master !== undefined && startOf(master).form === 'date';
        return {
          id,
          isSeries: master?.hasProperty('rrule') === true,
          wire: { id, isAllDay, summary: master?.getFirstPropertyValue('summary') },
        };
      });
    },
    async objects(calendarId) {
      return stored(calendarId).flatMap(({ id, root }) => [
        { id, seriesId: null },
        ...eventsOf(root)
          .flatMap((event) => pointsOf(event, 'recurrence-id'))
          .map((point) => ({ id: `${id}.${slotKey(point)}`, seriesId: id })),
      ]);
    },
    async slots(calendarId, seriesId) {
      const { root } = await open(calendarId, seriesId);
      return slotsOf(masterIn(root)).map(({ point, isCancelled }) => {
        const id = `${seriesId}.${slotKey(point)}`;
        return { id, wire: { id, point, status: isCancelled ? 'cancelled' : 'confirmed' } };
      });
    },
    create,
    retitle: (calendarId, id, title) =>
      change(calendarId, id, (root, slot) =>
        setLines(slot === undefined ? masterIn(root) : componentAt(root, slot), [`SUMMARY:${title}`]),
      ),
    reschedule: (calendarId, wire, times) =>
      change(calendarId, wire.id, (root) => {
        const { start, lengthMs } = timesOf({ ...times, isAllDay: wire.isAllDay });
        setTimes(masterIn(root), start, lengthMs);
        dropStrays(root);
      }),
    changeRule: (calendarId, wire, rule) =>
      change(calendarId, wire.id, (root) => {
        setLines(masterIn(root), [ruleLine(rule)]);
        dropStrays(root);
      }),
    moveSlot: (calendarId, wire, hour) =>
      change(calendarId, wire.id, (root, slot = '') => {
        const event = componentAt(root, slot);
        const { wallMs, form } = startOf(event);
        const day = wallMs - (wallMs % DAY_MS);
        const moved = form === 'date' ? day + DAY_MS : day + hour * 60 * MINUTE_MS;
        setTimes(event, { wallMs: moved, form }, lengthOf(event));
      }),
    async remove(calendarId, id) {
      if (id.includes('.')) return await change(calendarId, id, cancelSlot);
      const { path, tag } = await open(calendarId, id);
      await send('DELETE', path, undefined, { 'if-match': tag });
    },
    restore: (calendarId, id) =>
      change(calendarId, id, (root, slot) => {
        const master = masterIn(root);
        const kept = pointsOf(master, 'exdate').filter((point) => slotKey(point) !== slot);
        setExceptionDates(master, kept);
      }),
    async split(calendarId, master, slot, title) {
      const point: Point = slot.point;
      await change(calendarId, master.id, (root) => endBefore(root, point));
      const date = new Date(point.wallMs).toISOString().slice(0, 10);
      const times = { isAllDay: master.isAllDay, date, hour: new Date(point.wallMs).getUTCHours() };
      await create(calendarId, title, times, { frequency: 'DAILY', interval: 1, count: 3 });
    },
    async transfer(calendarId, id, toCalendarId) {
      const { path, tag, root } = await open(calendarId, id);
      made += 1;
      await put(`${pathOf(toCalendarId)}moved-${made}.ics`, root, { 'if-none-match': '*' });
      await send('DELETE', path, undefined, { 'if-match': tag });
    },
    occurrences: async (calendarId, from, to) =>
      stored(calendarId).flatMap(({ id, root }) => linesOf(id, root, from, to)),
  };
}

function masterIn(root: ICAL.Component): ICAL.Component {
  const master = masterOf(root);
  if (master === undefined) throw new Error('the object has no master');
  return master;
}

/** Drops exceptions and cancellations of slots that the series has no longer, as programs do that people use. */
function dropStrays(root: ICAL.Component): void {
  const master = masterIn(root);
  const keys = new Set(slotsOf(master).map(({ point }) => slotKey(point)));
  setExceptionDates(
    master,
    pointsOf(master, 'exdate').filter((point) => keys.has(slotKey(point))),
  );
  for (const event of eventsOf(root)) {
    const [slot] = pointsOf(event, 'recurrence-id');
    if (slot !== undefined && !keys.has(slotKey(slot))) root.removeSubcomponent(event);
  }
}

function setExceptionDates(master: ICAL.Component, points: readonly Point[]): void {
  master.removeAllProperties('exdate');
  setLines(
    master,
    points.map((point) => pointLine('EXDATE', point)),
  );
}

function cancelSlot(root: ICAL.Component, slot = ''): void {
  const master = masterIn(root);
  const found = slotsOf(master).find(({ point }) => slotKey(point) === slot);
  if (found === undefined) throw new Error(`the series has no slot ${slot}`);
  const exception = exceptionAt(root, slot);
  if (exception !== undefined) root.removeSubcomponent(exception);
  setExceptionDates(master, [...pointsOf(master, 'exdate'), found.point]);
}

function endBefore(root: ICAL.Component, slot: Point): void {
  const master = masterIn(root);
  const rule = String(master.getFirstPropertyValue('rrule')).replace(/;?(COUNT|UNTIL)=[^;]*/g, '');
  const until =
    slot.form === 'date'
      ? slotKey({ ...slot, wallMs: slot.wallMs - DAY_MS })
      : slotKey({ wallMs: instantOfPoint(slot) - 1000, form: 'utc' });
  setLines(master, [`RRULE:${rule};UNTIL=${until}`]);
  dropStrays(root);
}

function linesOf(id: string, root: ICAL.Component, from: number, to: number): readonly string[] {
  const lines: string[] = [];
  const add = (event: ICAL.Component, slot: Point | undefined, start: Point) => {
    const end = { ...start, wallMs: start.wallMs + lengthOf(event) };
    if (!isStanding(event) || instantOfPoint(start) >= to || instantOfPoint(end) <= from) return;
    const text = slot === undefined ? undefined : pointText(slot);
    lines.push(lineOf(id, text, titleOf(event), pointText(start), pointText(end)));
  };
  for (const event of eventsOf(root)) {
    const [slot] = pointsOf(event, 'recurrence-id');
    if (slot !== undefined || !event.hasProperty('rrule')) {
      add(event, slot, startOf(event));
      continue;
    }
    for (const { point, isCancelled } of slotsOf(event)) {
      if (!isCancelled && exceptionAt(root, slotKey(point)) === undefined) add(event, point, point);
    }
  }
  return lines;
}
