import { eventsPath } from '../interface/steps.ts';
import type { Json, ProviderName, World } from '../interface/world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Window of all events of a mailbox. */
export const WINDOW = 'startDateTime=2027-01-01T00:00:00Z&endDateTime=2027-12-31T00:00:00Z';

/** Between two copies of the single events. */
const COPY_DAYS = 80;

const FIRST = Date.UTC(2027, 0, 4, 9);

/** An object of the provider. */
export interface PlacedObject {
  readonly providerId: string;
  /** Id of its series for an exception. */
  readonly seriesId: string | null;
  /** Original start of an exception, as an instant. */
  readonly slotMs: number | null;
}

/** One account with calendars and events of many shapes. */
export interface Mailbox {
  readonly accountId: string;
  readonly email: string;
  readonly calendarId: string;
  readonly objects: readonly PlacedObject[];
  /** Provider ids of the calendars beside the primary one. */
  readonly calendarIds: readonly string[];
}

/** Connects a mailbox and fills it, with so many copies of each single event, through the interface, so that the events have all that the adapter writes. */
export async function fillMailbox(world: World, provider: ProviderName, copies: number): Promise<Mailbox> {
  const account = await world.connect(provider);
  const made = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await world.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const calendarIds: string[] = [];
  for (const name of ['One', 'Two', 'Three']) {
    const body = { name, hexColor: '#123456', timeZone: 'Asia/Kolkata' };
    calendarIds.push((await made('POST', `/v1/calendars/${account.accountId}`, body)).id);
  }
  const path = eventsPath(account);
  for (let copy = 0; copy < copies; copy += 1) {
    for (const body of singles(copy * COPY_DAYS)) await made('POST', path, body);
  }
  for (const body of series()) await makeSeries(made, path, body);
  return { ...account, calendarIds, objects: await placedObjects(world, provider, account) };
}

/** Creates a series with two exceptions and a cancelled occurrence. */
export async function makeSeries(
  made: (method: string, path: string, body?: object) => Promise<Json>,
  path: string,
  body: object,
): Promise<void> {
  const { id } = await made('POST', path, body);
  const slots = (await made('GET', `${path}?expandRecurrences=true&${WINDOW}`)).data.filter(
    ({ recurringEventId }: Json) => recurringEventId === id,
  );
  const [, second, third, fourth] = slots;
  await made('PUT', `${path}/${second.id}`, { title: 'special', location: 'elsewhere' });
  await made('PUT', `${path}/${third.id}`, { description: 'own', privateExtendedProperties: { k: 'own' } });
  await made('DELETE', `${path}/${fourth.id}`);
}

const at = (day: number, hours = 0) => new Date(FIRST + day * DAY_MS + hours * HOUR_MS).toISOString().slice(0, 19);
const point = (day: number, hours = 0, timeZone = 'Europe/Berlin') => ({ dateTime: at(day, hours), timeZone });
const date = (day: number) => ({ dateTime: at(day).slice(0, 10) });

/** Returns single events, as the interface takes them, from a day on. */
export function singles(first: number): readonly object[] {
  const plain = (title: string, day: number) => ({ title, start: point(first + day), end: point(first + day, 1) });
  return [
    plain('plain', 0),
    { ...plain('guests', 1), attendees: [{ email: 'bob@example.com', name: 'Bob' }, { email: 'cleo@example.com' }] },
    { ...plain('properties', 2), publicExtendedProperties: { a: '1' }, privateExtendedProperties: { b: '2' } },
    { title: 'all day', isAllDay: true, start: date(first + 3), end: date(first + 5) },
    { ...plain('elsewhere', 4), location: 'Room 1', visibility: 'private' },
    { ...plain('reminded', 5), reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 20 }] } },
    { title: 'flight', start: point(first + 6), end: point(first + 6, 8, 'America/New_York') },
    { ...plain('described', 7), description: '<p>Long <b>text</b></p>', colorId: '5', customColor: '#abcdef' },
    { ...plain('free', 8), transparency: 'transparent' },
    { ...plain('away', 9), eventType: 'outOfOffice' },
    plain('witness', 10),
    plain('written', 11),
  ];
}

/** Returns series. */
export function series(): readonly object[] {
  const recurring = (title: string, day: number, ...recurrence: string[]) => ({
    title,
    start: point(day),
    end: point(day, 1),
    recurrence,
  });
  return [
    recurring('daily', 14, 'RRULE:FREQ=DAILY;COUNT=8'),
    recurring('weekly', 28, 'RRULE:FREQ=WEEKLY;BYDAY=MO,TH;COUNT=10'),
    { ...recurring('meeting', 42, 'RRULE:FREQ=DAILY;INTERVAL=2;COUNT=6'), attendees: [{ email: 'bob@example.com' }] },
    { title: 'days', isAllDay: true, start: date(60), end: date(61), recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] },
  ];
}

/** Returns the objects of a calendar as the provider itself lists them. */
async function placedObjects(
  world: World,
  provider: ProviderName,
  { email, calendarId }: Pick<Mailbox, 'email' | 'calendarId'>,
): Promise<readonly PlacedObject[]> {
  const calendar = encodeURIComponent(calendarId);
  const ask = (path: string) => world.atProvider(provider, email, 'GET', path);
  if (provider === 'google') {
    const { items } = await ask(`/calendars/${calendar}/events?maxResults=2500`);
    return items.map(({ id, recurringEventId, originalStartTime }: Json) =>
      placed(id, recurringEventId, originalStartTime?.dateTime ?? originalStartTime?.date),
    );
  }
  const { value } = await ask(`/me/calendars/${calendar}/events?$top=1000`);
  const found: PlacedObject[] = [];
  for (const { id, type } of value) {
    found.push(placed(id));
    if (type !== 'seriesMaster') continue;
    const select = '$select=id,exceptionOccurrences&$expand=exceptionOccurrences($select=id,originalStart)';
    const master = await ask(`/me/calendars/${calendar}/events/${id}?${select}`);
    for (const one of master.exceptionOccurrences ?? []) found.push(placed(one.id, id, one.originalStart));
  }
  return found;
}

function placed(providerId: string, seriesId: string | null = null, slot?: string): PlacedObject {
  return { providerId, seriesId, slotMs: slot === undefined ? null : Date.parse(slot) };
}
