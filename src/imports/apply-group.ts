import { createHash } from 'node:crypto';
import type { Caller, NotifyRequest } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { CreationKey, ImportTarget } from '../events/index.ts';
import type { IcsEvent, IcsGroup } from '../icalendar/index.ts';
import { contentHash } from '../mirror/index.ts';
import type { CalendarEvent, EventCreate, EventUpdate } from '../model/index.ts';
import type { EventContent, ImportProblem, ItemOutcome, ProviderCapabilities } from '../ports/index.ts';
import { occurrenceId } from '../recurrence/index.ts';
import { changedFields } from './changed-fields.ts';
import { eventBody, fieldsOfNew, isDispensable } from './event-body.ts';
import { hasOccurrence } from './has-occurrence.ts';

/** Calendar into which a file's events go. */
export interface ImportPlace {
  readonly caller: Caller;
  readonly importId: string;
  readonly accountId: string;
  readonly calendarId: string;
  readonly limits: ProviderCapabilities;
  readonly timeZone: string;
  /** Whether nothing is written. */
  readonly isDryRun: boolean;
}

/** The events of one UID, as far as the import knows them in the calendar. */
export interface KnownEvent {
  /** Id of the event that had the UID when the import began; null without one. */
  readonly eventId: string | null;
  /** Whether the import has begun to create it, in an earlier look that was cut short. */
  readonly isBegun: boolean;
  /** Notes that the import begins to create it. */
  begin(): Promise<void>;
}

/** A change of these fields alone is one of the account's own copy, which most providers mail no attendee about. */
const PERSONAL = new Set([
  ...['categories', 'colorId', 'customColor', 'reminders'],
  ...['eventType', 'showAs', 'status', 'transparency'],
  ...['privateExtendedProperties', 'publicExtendedProperties'],
]);
const QUIET: Required<NotifyRequest> = { notifyAttendees: 'none' };
/** How often a UID may be imported anew after its event was deleted. */
const MOST_GENERATIONS = 100;

/** Errors of one event that no repetition mends; others end the look at the import, to be repeated. */
const OF_THE_EVENT = new Set(['InvalidRequest', 'UnsupportedByProvider', 'Forbidden', 'PayloadTooLarge', 'NotFound']);

/**
 * Writes the events of one UID through the interface's own services: the event or its series, then each exception. Repeatable: what is
 * there already as the file says is left alone.
 * @throws KalendsError where it has to be tried again
 */
export async function applyGroup(
  events: ImportTarget,
  place: ImportPlace,
  group: IcsGroup,
  { eventId, isBegun, begin }: KnownEvent,
): Promise<ItemOutcome> {
  const problems: ImportProblem[] = group.unreadable.map(({ reason }) => problemOf(reason));
  const { caller, accountId, calendarId, isDryRun } = place;
  const refused = (...more: ImportProblem[]): ItemOutcome => ({ state: 'refused', problems: [...problems, ...more] });

  /** Sends a body; a field that is refused and may be missing is left out, and named. */
  async function sent<Result>(
    fields: Readonly<Record<string, unknown>>,
    send: (body: Readonly<Record<string, unknown>>) => Promise<Result>,
  ): Promise<Result> {
    const left = { ...fields };
    for (;;) {
      try {
        return await send(left);
      } catch (error) {
        const [detail] = detailsOf(error);
        const [field = ''] = detail?.path.split('.') ?? [];
        if (detail === undefined || !(field in left) || !isDispensable(field)) throw error;
        delete left[field];
        problems.push({ field: detail.path, rule: detail.message });
      }
    }
  }

  /** Leaves out another type for an event, where it keeps its own. */
  function ofType(type: unknown, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (place.limits.changesEventType || !('eventType' in fields) || fields['eventType'] === type) return fields;
    const { eventType: _, ...rest } = fields;
    problems.push({ field: 'eventType', rule: 'cannot be changed here' });
    return rest;
  }

  /** Leaves out another visibility than that of the series for an occurrence, where it has that of the series. */
  function ofSeries(visibility: unknown, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (place.limits.occurrences.ownVisibility || (fields['visibility'] ?? visibility) === visibility) return fields;
    const { visibility: _, ...rest } = fields;
    problems.push({ field: 'visibility', rule: 'is that of the series here' });
    return rest;
  }

  async function update(id: string, fields: Readonly<Record<string, unknown>>): Promise<boolean> {
    const shown = await events.get(caller, accountId, calendarId, id);
    const differing = changedFields(fields, shown);
    const ofItsType = ofType(shown.eventType, shown.isCancelled ? { isCancelled: false, ...differing } : differing);
    const changed = shown.recurringEventId === undefined ? ofItsType : ofSeries(shown.visibility, ofItsType);
    if (Object.keys(changed).length === 0) return false;
    if (isDryRun) {
      const { title, start, end, isAllDay } = fields;
      const isQuiet =
        place.limits.attendees.ownCopyIsQuiet && Object.keys(changed).every((field) => PERSONAL.has(field));
      const guests = isQuiet ? {} : guestsOf(shown);
      await checked({ title, start, end, isAllDay, eventType: shown.eventType, ...changed, ...guests });
      return true;
    }
    const after = await sent(changed, (body) =>
      events.update(caller, accountId, calendarId, id, body as EventUpdate, QUIET),
    );
    return after.etag !== shown.etag;
  }

  /** Returns the attendees of an event who would get mail about a write, where the provider decides that alone. */
  function guestsOf({ attendees }: CalendarEvent): Readonly<Record<string, unknown>> {
    if (place.limits.attendees.mailSelectable || attendees.length === 0) return {};
    return { attendees: attendees.map(({ email, name, kind }) => ({ email, name, kind })) };
  }

  /** Says of the fields of an event what a write of them would say. */
  async function checked(fields: Readonly<Record<string, unknown>>): Promise<void> {
    await sent(fields, (body) => events.check(caller, accountId, calendarId, body as unknown as EventCreate, QUIET));
  }

  /** Names a UID that is not kept; where no type of event keeps it, the file's report says so once. */
  function nameUid(fields: Readonly<Record<string, unknown>>): void {
    if (place.limits.keepsUidOf.length === 0 || keepsUid(fields)) return;
    problems.push({ field: 'iCalUid', rule: 'is not kept for an event of this type' });
  }

  function keepsUid({ eventType = 'default' }: Readonly<Record<string, unknown>>): boolean {
    return place.limits.keepsUidOf.some((type) => type === eventType);
  }

  /** Finds the event that an earlier import of the UID created, and the key for one to be created. */
  async function findEarlier(uid: string, fields: Readonly<Record<string, unknown>>): Promise<EarlierEvent> {
    for (let generation = 0; generation < MOST_GENERATIONS; generation += 1) {
      const requestId = requestIdOf([accountId, calendarId, uid, generation]);
      const key = { requestId, ...(keepsUid(fields) ? { iCalUid: uid } : {}) };
      // The calendar's events were matched by their UIDs: a dry run needs no request for each new one.
      if (isDryRun && keepsUid(fields)) return { key, eventId: null };
      const found = await events.findCreated(caller, accountId, calendarId, key);
      if (found.kind !== 'deleted') return { key, eventId: found.kind === 'present' ? found.eventId : null };
    }
    throw new KalendsError('Forbidden', 'The event was imported and deleted too often.');
  }

  /** Creates an event; one that is there under the key is found. */
  async function create(key: CreationKey, fields: Readonly<Record<string, unknown>>): Promise<string> {
    const { id } = await sent(fields, (body) =>
      events.create(caller, accountId, calendarId, body as unknown as EventCreate, {
        ...{ ...QUIET, ...key },
        // A body without a refused field is another one under the same key. Another import creates anew what was deleted since.
        idempotencyKey: `import ${place.importId} ${key.requestId} ${contentHash(body).slice(0, 32)}`,
      }),
    );
    return id;
  }

  async function applyException(seriesId: string, exception: IcsEvent): Promise<boolean> {
    if (exception.recurrenceId === null) return false;
    const id = occurrenceId(seriesId, exception.recurrenceId);
    if (exception.content !== null) {
      const body = eventBody(exception.content, { limits: place.limits, isOrganizer: exception.isOrganizer });
      problems.push(...body.problems);
      const { recurrence: _, ...fields } = body.fields;
      return await update(id, fields);
    }
    const shown = await events.get(caller, accountId, calendarId, id);
    if (shown.isCancelled) return false;
    if (!isDryRun) await events.delete(caller, accountId, calendarId, id, QUIET);
    else await checkDeletion(shown);
    return true;
  }

  /** Says of an occurrence of a meeting what its deletion would say. */
  async function checkDeletion(shown: CalendarEvent): Promise<void> {
    const guests = guestsOf(shown);
    const { title, start, end, isAllDay } = shown;
    if ('attendees' in guests) await checked({ title, start, end, isAllDay, ...guests });
  }

  /** Says of an exception of a new series what its write would say. */
  async function checkException(content: SeriesOfFile, exception: IcsEvent): Promise<boolean> {
    if (exception.recurrenceId === null) return false;
    if (!hasOccurrence(content, exception.recurrenceId, place.timeZone)) {
      problems.push(NO_OCCURRENCE);
    } else if (exception.content !== null) {
      const body = eventBody(exception.content, { limits: place.limits, isOrganizer: exception.isOrganizer });
      problems.push(...body.problems);
      const { recurrence: _, ...fields } = fieldsOfNew(body);
      const { eventType, visibility } = content;
      const kept = place.limits.changesEventType
        ? fields
        : { ...ofType(eventType, { eventType: 'default', ...fields }), eventType };
      await checked(ofSeries(visibility, { visibility: 'default', ...kept }));
    }
    return true;
  }

  async function eachException(act: (exception: IcsEvent) => Promise<boolean>): Promise<boolean> {
    let isChanged = false;
    for (const exception of group.exceptions) {
      try {
        if (await act(exception)) isChanged = true;
      } catch (error) {
        const isMissing = KalendsError.isInstance(error) && error.code === 'NotFound';
        problems.push(...(isMissing ? [NO_OCCURRENCE] : refusalsOf(error)));
      }
    }
    return isChanged;
  }

  const exceptionsOf = (seriesId: string) => eachException((exception) => applyException(seriesId, exception));

  const { master } = group;
  try {
    if (master?.content == null) {
      if (eventId === null || group.exceptions.length === 0)
        return refused(...(problems.length > 0 ? [] : [NO_SERIES]));
      return { state: (await exceptionsOf(eventId)) ? 'updated' : 'unchanged', problems };
    }
    if (master.isCancelled) {
      const shown = eventId === null ? undefined : await events.get(caller, accountId, calendarId, eventId);
      if (shown?.isCancelled === true)
        return { state: (await exceptionsOf(shown.id)) ? 'updated' : 'unchanged', problems };
      const alive = group.exceptions.filter(({ isCancelled }) => !isCancelled);
      return refused({ field: 'STATUS', rule: 'must not be CANCELLED' }, ...alive.map(() => NO_SERIES));
    }
    problems.push(...master.unreadableParts.map(problemOf));
    const body = eventBody(master.content, { limits: place.limits, isOrganizer: master.isOrganizer });
    problems.push(...body.problems);
    if (eventId !== null) {
      const isChanged = await update(eventId, body.fields);
      return { state: (await exceptionsOf(eventId)) || isChanged ? 'updated' : 'unchanged', problems };
    }
    nameUid(body.fields);
    const fields = fieldsOfNew(body);
    const { key, eventId: earlierId } = await findEarlier(group.uid, fields);
    if (isDryRun && earlierId === null) {
      const { content } = master;
      await checked(fields);
      const { eventType = 'default' } = body.fields;
      await eachException((exception) => checkException({ ...content, eventType }, exception));
      return { state: 'created', problems };
    }
    // By its UID the calendar had none when the import began: a look at it that was cut short has created it.
    const isNew = earlierId === null || isBegun || keepsUid(fields);
    if (isNew && !keepsUid(fields)) await begin();
    const id = isDryRun && earlierId !== null ? earlierId : await create(key, fields);
    const isChanged = earlierId !== null && (await update(id, body.fields));
    const hasChanges = await exceptionsOf(id);
    return { state: isNew ? 'created' : isChanged || hasChanges ? 'updated' : 'unchanged', problems };
  } catch (error) {
    return refused(...refusalsOf(error));
  }
}

/** A series as a file has it, with the type that it gets. */
type SeriesOfFile = Omit<EventContent, 'eventType'> & { readonly eventType: unknown };

/** Providers take 32 hexadecimal digits. */
function requestIdOf(place: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify(['import', ...place]))
    .digest('hex')
    .slice(0, 32);
}

const NO_SERIES: ImportProblem = { field: 'RECURRENCE-ID', rule: 'needs the series that it belongs to' };
const NO_OCCURRENCE: ImportProblem = { field: 'RECURRENCE-ID', rule: 'names no occurrence of the series' };

interface EarlierEvent {
  readonly key: CreationKey;
  readonly eventId: string | null;
}

function detailsOf(error: unknown): readonly { readonly path: string; readonly message: string }[] {
  if (!KalendsError.isInstance(error)) return [];
  return error.code === 'InvalidRequest' || error.code === 'UnsupportedByProvider' ? (error.details ?? []) : [];
}

/** Returns what an event was refused for. @throws an error that is not the event's */
function refusalsOf(error: unknown): readonly ImportProblem[] {
  if (!KalendsError.isInstance(error) || !OF_THE_EVENT.has(error.code)) throw error;
  const details = error.details ?? [];
  if (details.length === 0) return [{ field: '', rule: error.message }];
  return details.map(({ path, message }) => ({ field: path, rule: message }));
}

/** Parts a reason, such as `DTSTART: must be a time`. */
function problemOf(reason: string): ImportProblem {
  const [, field, rule] = /^([\w-]{1,64}): (.*)$/s.exec(reason) ?? [];
  return field === undefined || rule === undefined ? { field: '', rule: reason } : { field, rule };
}
