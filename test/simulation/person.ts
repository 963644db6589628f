import { type CaldavCalls, caldavActs } from './caldav-acts.ts';
import { dateOf, type Edit, type EditKind, ZONE } from './edit.ts';
import { googleActs } from './google-acts.ts';
import { microsoftActs } from './microsoft-acts.ts';
import type { Acts, Json, Lines, ProviderName, WireObject } from './provider-acts.ts';
import type { SimulatedWorld } from './world.ts';

/** A person with a mailbox and two calendars, who changes them with the provider's own program. */
export interface Person {
  readonly provider: ProviderName;
  readonly email: string;
  /** The primary calendar, and another one. */
  readonly calendarIds: readonly [string, string];
  /** Makes the change in one of the calendars. Resolves with whether there was anything to change. */
  edit(change: Edit, calendar?: 0 | 1): Promise<boolean>;
  /** Ids of single events and masters, in the order that `pick` counts in. */
  ids(calendar: 0 | 1): Promise<readonly string[]>;
  /** Single events, masters and exceptions. */
  objects(calendar: 0 | 1): Promise<readonly WireObject[]>;
  /** Gives the object another title. */
  retitle(calendar: 0 | 1, id: string, title: string): Promise<void>;
  /**
   * Tells whether the object is in the calendar and has always been: false as well when the person has done something to it
   * that may remove it for a while.
   */
  stands(calendar: 0 | 1, object: WireObject): Promise<boolean>;
  /** Notes that others do something of that kind to an event. */
  shake(id: string): void;
  /** Tells whether anyone has done something to the event that may move or remove it, by its id or its title of then. */
  isShaken(idOrTitle: string): boolean;
  /** The provider's own expansion of [from, to), ascending as text. */
  occurrences(calendar: 0 | 1, from: number, to: number): Promise<Lines>;
  /** Calls the provider's API. `path` is below `/calendar/v3` or `/v1.0`. */
  call(method: string, path: string, body?: unknown): Promise<Json>;
}

const ORIGIN = 'http://sandbox.test';

/** Creates the mailbox with its second calendar. `heard` gets the body of every request. */
export async function createPerson(
  { sandbox, provider, time }: Pick<SimulatedWorld, 'sandbox' | 'provider' | 'time'>,
  email: string,
  heard: (body: string) => void = () => undefined,
): Promise<Person> {
  const server = sandbox[provider];
  server.addMailbox({ email, name: 'Person', timeZone: ZONE });
  const root = `${ORIGIN}/${provider}`;
  let token: string | undefined;

  const send = async (
    method: string,
    path: string,
    body: string | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly text: string; readonly tag: string }> => {
    if (body !== undefined) heard(body);
    for (let isSecond = false; ; isSecond = true) {
      token ??= await sandbox.accessToken({ provider, email });
      const request = new Request(`${ORIGIN}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body }),
      });
      const response = await server.fetch(request, root);
      const text = await response.text();
      if (response.status === 401 && !isSecond) {
        token = undefined;
        continue;
      }
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      // Behind some fronts tags look weak, and compare as strong ones.
      return { text, tag: response.headers.get('etag')?.replace(/^W\//, '') ?? '' };
    }
  };
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const { text } = await send(
      method,
      `/${provider === 'google' ? 'calendar/v3' : 'v1.0'}${path}`,
      body === undefined ? undefined : JSON.stringify(body),
      {
        prefer: 'IdType="ImmutableId", outlook.timezone="UTC"',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    );
    return text === '' ? undefined : JSON.parse(text);
  };
  const dav: CaldavCalls = {
    now: time.now,
    home: `/caldav/calendars/${email}/`,
    send: (method, path, body, headers = {}) => send(method, path.slice('/caldav'.length), body, headers),
    objects: (calendarId) =>
      (sandbox.caldav.controls['objects']?.({ email, calendarId }) as { objects: { name: string; data: string }[] })
        .objects,
  };
  const act = provider === 'caldav' ? caldavActs(dav) : provider === 'google' ? googleActs(call) : microsoftActs(call);
  const calendarIds = await act.calendars();
  const shaken = new Set<string>();
  return {
    provider,
    email,
    calendarIds,
    call,
    edit: (change, calendar = 0) => perform(act, calendarIds[calendar], calendarIds[1 - calendar]!, change, shaken),
    ids: async (calendar) => (await act.list(calendarIds[calendar])).map(({ id }) => id),
    objects: (calendar) => act.objects(calendarIds[calendar]),
    retitle: (calendar, id, title) => act.retitle(calendarIds[calendar], id, title),
    async stands(calendar, { id, seriesId }) {
      if (shaken.has(seriesId ?? id)) return false;
      return (await act.objects(calendarIds[calendar])).some((object) => object.id === id);
    },
    shake: (id) => shaken.add(id),
    isShaken: (idOrTitle) => shaken.has(idOrTitle),
    occurrences: async (calendar, from, to) => [...(await act.occurrences(calendarIds[calendar], from, to))].sort(),
  };
}

/** Edits that may remove an event or exceptions of it, or bring them back. */
const SHAKING: readonly EditKind[] = [
  'reschedule',
  'change-rule',
  'cancel-slot',
  'restore-slot',
  'split',
  'delete',
  'transfer',
];

async function perform(
  act: Acts,
  calendarId: string,
  otherId: string,
  change: Edit,
  shaken: Set<string>,
): Promise<boolean> {
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
  if (SHAKING.includes(kind)) shaken.add(event.id).add(event.wire.summary ?? event.wire.subject);
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
