import { KalendsError } from 'kalends';
import type { CalendarEvent } from 'kalends/model';
import type { CopyWorld, Place } from './copy-world.ts';

/** Fields of a body: an event without what only its provider can say of it. */
export type Fields = Readonly<Record<string, unknown>>;

/** An exception, by its place in the series: what it has of its own, or that it is cancelled. */
export interface ExceptionFields {
  /** Its original start, as the id of an occurrence ends: `20260303T080000Z`. */
  readonly slot: string;
  /** Null for a cancelled occurrence. */
  readonly own: Fields | null;
}

/** An event, or a series with its exceptions, free of any provider's ids. */
export interface Content {
  readonly fields: Fields;
  readonly exceptions: readonly ExceptionFields[];
}

/** A field that was refused, and left out for it. */
export interface Refusal {
  readonly path: string;
  readonly message: string;
}

/** One request of a copy, and how it was answered: null where it was done. */
export interface Attempt {
  readonly body: Fields;
  /** The slot of an exception; null for the event itself. */
  readonly slot: string | null;
  /** The body of the exception's series. */
  readonly series: Fields | null;
  readonly refusal: Refusal | null;
}

export interface Copy {
  readonly id: string;
  readonly attempts: readonly Attempt[];
  /** The last request of each part. */
  readonly asked: Content;
}

/** Fields that are the provider's own, or say where an occurrence belongs. */
const OWN: ReadonlySet<string> = new Set([
  ...['id', 'etag', 'createdAt', 'updatedAt', 'iCalUid', 'webLink', 'organizer', 'creator', 'providerEventType'],
  ...['hasAttachments', 'isRecurring', 'isException', 'isCancelled', 'recurringEventId', 'originalStart'],
  ...['myResponseStatus'],
]);

/** Reads a whole calendar as an application does, free of ids, by the id of each event or series. */
export async function readCalendar(world: CopyWorld, place: Place): Promise<ReadonlyMap<string, Content>> {
  const { engine, caller } = world;
  const { accountId, calendarId } = place;
  const records: CalendarEvent[] = [];
  let pageToken: string | undefined;
  do {
    const query = { limit: 1000, ...(pageToken === undefined ? {} : { pageToken }) };
    const page = await engine.events.list(caller, accountId, calendarId, query);
    records.push(...page.data);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  const events = records.filter(({ recurringEventId }) => recurringEventId === undefined);
  return new Map(events.map((event) => [event.id, contentOf(event, records)]));
}

function contentOf(event: CalendarEvent, records: readonly CalendarEvent[]): Content {
  const fields = fieldsOf(event);
  const exceptions = records
    .filter(({ recurringEventId }) => recurringEventId === event.id)
    .map((exception) => ({
      slot: exception.id.slice(event.id.length + 1),
      own: exception.isCancelled ? null : differences(fieldsOf(exception), { ...fields, recurrence: null }),
    }));
  return { fields, exceptions: exceptions.sort((one, other) => (one.slot < other.slot ? -1 : 1)) };
}

function fieldsOf(event: CalendarEvent): Fields {
  const fields = Object.entries(event).filter(([field]) => !OWN.has(field));
  const attendees = event.attendees.map(({ email, name, kind }) => ({ email, name, kind }));
  return { ...Object.fromEntries(fields), attendees };
}

/** Returns what makes `one` of `other`: null for a field, or a property of the application, that only `other` has. */
function differences(one: Fields, other: Fields): Fields {
  const isOther = (field: string) => JSON.stringify(one[field]) !== JSON.stringify(other[field]);
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(isOther);
  const change = (field: string) =>
    MERGED.has(field) ? differences(one[field] as Fields, other[field] as Fields) : (one[field] ?? null);
  return Object.fromEntries(names.map((field) => [field, change(field)]));
}

/** Fields that an update changes key by key. */
export const MERGED: ReadonlySet<string> = new Set(['publicExtendedProperties', 'privateExtendedProperties']);

/** Copies content to another calendar. What a refusal names is left out, and the request is made again. */
export async function copyContent(world: CopyWorld, { fields, exceptions }: Content, place: Place): Promise<Copy> {
  const { engine, caller } = world;
  const { accountId, calendarId } = place;
  const attempts: Attempt[] = [];
  let id = '';
  const kept = await askUntilDone(
    fields,
    async (body) => {
      id = (await engine.events.create(caller, accountId, calendarId, body as never)).id;
    },
    (attempt) => attempts.push({ ...attempt, slot: null, series: null }),
  );
  const done: ExceptionFields[] = [];
  for (const { slot, own } of kept['recurrence'] == null ? [] : exceptions) {
    const occurrence = `${id}_${slot}`;
    if (own === null) {
      await engine.events.delete(caller, accountId, calendarId, occurrence);
      done.push({ slot, own });
      continue;
    }
    const asked = await askUntilDone(
      own,
      (body) => engine.events.update(caller, accountId, calendarId, occurrence, body as never),
      (attempt) => attempts.push({ ...attempt, slot, series: kept }),
    );
    done.push({ slot, own: asked });
  }
  return { id, attempts, asked: { fields: kept, exceptions: done } };
}

async function askUntilDone(
  wanted: Fields,
  request: (body: Fields) => Promise<unknown>,
  tell: (attempt: Pick<Attempt, 'body' | 'refusal'>) => void,
): Promise<Fields> {
  for (let body = wanted; ; ) {
    try {
      await request(body);
      tell({ body, refusal: null });
      return body;
    } catch (error) {
      const refusal = refusalOf(error, body);
      tell({ body, refusal });
      body = without(body, refusal.path);
    }
  }
}

function refusalOf(error: unknown, body: Fields): Refusal {
  // A text that is too long for a provider is a bad request.
  const isRefusal = KalendsError.isInstance(error) && ['UnsupportedByProvider', 'InvalidRequest'].includes(error.code);
  const detail = isRefusal ? error.details?.[0] : undefined;
  if (detail === undefined) throw new Error(`not copied: ${error} of ${JSON.stringify(body)}`, { cause: error });
  return detail;
}

/** Fields that a type refuses which has to be timed, busy and without guests. */
const OF_BARE_TYPES = ['isAllDay', 'transparency', 'attendees'];

/** Leaves a field out, and what cannot stay without it. */
function without(body: Fields, path: string): Fields {
  const [field = ''] = path.split('.');
  // The type gives way, not the guests.
  const isOfType = OF_BARE_TYPES.includes(field) && ('eventType' in body || body['showAs'] === 'oof');
  const together = {
    start: ['start', 'end'],
    eventType: ['eventType', 'showAs'],
    transparency: ['transparency', 'showAs'],
  };
  const left = isOfType ? together.eventType : (together[field as keyof typeof together] ?? [field]);
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !left.includes(name)));
  if (Object.keys(rest).length === Object.keys(body).length) throw new Error(`${path} was refused, and is not there`);
  return rest;
}
