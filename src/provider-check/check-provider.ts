import {
  type CalendarChange,
  type CalendarPage,
  type EventChange,
  type EventPage,
  type Provider,
  type ProviderCalendar,
  type ProviderCalendars,
  ProviderError,
  type ProviderEvent,
  type ProviderEvents,
  type ProviderFreeBusy,
  readObject,
  separateUnreadable,
  type UnreadableObject,
} from '../ports/index.ts';
import { createYieldToEventLoop } from '../runtime/index.ts';
import { resolveZone } from '../zones/index.ts';
import { checkCalendar } from './check-calendar.ts';
import { checkEvent, namesOf } from './check-event.ts';
import { isUsableId, usableId } from './check-text.ts';
import {
  portCalendarChange,
  portCalendarPage,
  portEventChange,
  portEventChanges,
  portEventPage,
  portPeople,
  portPersonBusy,
  portTags,
  requireAnswer,
  requireShape,
} from './port-shapes.ts';

/** Names of an object that is none. */
const NAMELESS = { providerEventId: '', seriesId: null };

/** Characters of a recurrence whose check costs one step. */
const CHARACTERS_PER_STEP = 150;

/**
 * Returns the same provider with its objects checked: one that no part of the engine could read is reported as unreadable,
 * whatever the adapter made of it.
 */
export function checkProvider(provider: Provider): Provider {
  const { calendars, events, freeBusy } = provider;
  const parts = {
    calendars: checkCalendars(calendars),
    events: checkEvents(events),
    ...(freeBusy === undefined ? {} : { freeBusy: checkFreeBusy(freeBusy) }),
  };
  return new Proxy(provider, {
    get: (target, property) => Reflect.get(property in parts ? parts : target, property),
  });
}

function checkCalendars(calendars: ProviderCalendars): ProviderCalendars {
  return {
    async *pull(session, token) {
      for await (const page of calendars.pull(session, token)) yield checkCalendarPage(page);
    },
    exists: (session, calendarId) => calendars.exists(session, calendarId),
    create: async (session, input) => checkCalendar(await calendars.create(session, input)),
    update: async (session, calendarId, patch) => checkCalendar(await calendars.update(session, calendarId, patch)),
    delete: (session, calendarId) => calendars.delete(session, calendarId),
  };
}

function checkCalendarPage(page: CalendarPage): CalendarPage {
  requireAnswer(page, portCalendarPage);
  return { ...page, changes: page.changes.map(checkCalendarChange) };
}

function checkCalendarChange(change: CalendarChange): CalendarChange {
  const read = readObject(NAMELESS, () => {
    requireShape(change, portCalendarChange);
    return change;
  });
  if (read.kind === 'calendar') return checkListedCalendar(read.calendar);
  if ('calendarId' in read) return { ...read, calendarId: usableId(read.calendarId) };
  return { kind: 'unreadable', calendarId: '', reason: read.reason };
}

function checkListedCalendar(calendar: ProviderCalendar): CalendarChange {
  const read = readObject(NAMELESS, () => checkCalendar(calendar));
  if ('kind' in read) return { kind: 'unreadable', calendarId: usableId(calendar.id), reason: read.reason };
  return { kind: 'calendar', calendar };
}

function checkEvents(events: ProviderEvents): ProviderEvents {
  const { carriesAnswers, callsPerPull } = events;
  return {
    ...(carriesAnswers === undefined ? {} : { carriesAnswers }),
    ...(callsPerPull === undefined ? {} : { callsPerPull }),
    ...(events.listTags === undefined ? {} : { listTags: checkedTags(events.listTags.bind(events)) }),
    ...(events.check === undefined ? {} : { check: events.check.bind(events) }),
    async *pull(session, ...rest) {
      for await (const page of events.pull(session, ...rest)) yield await checkEventPage(page, session.accountId);
    },
    get: async (session, ...rest) => checkChanges(await events.get(session, ...rest), session.accountId),
    create: async (session, ...rest) => checkChanges(await events.create(session, ...rest), session.accountId),
    listAttachments: (session, ...rest) => events.listAttachments(session, ...rest),
    getDescription: (session, ...rest) => events.getDescription(session, ...rest),
    findCreated: async (session, ...rest) =>
      checkChanges(await events.findCreated(session, ...rest), session.accountId),
    update: async (session, ...rest) => checkChanges(await events.update(session, ...rest), session.accountId),
    delete: async (session, ...rest) => checkChanges(await events.delete(session, ...rest), session.accountId),
    respond: async (session, ...rest) => checkChanges(await events.respond(session, ...rest), session.accountId),
  };
}

/** Checks that there is one answer for each address. A person whose time cannot be read has an error. */
function checkFreeBusy(freeBusy: ProviderFreeBusy): ProviderFreeBusy {
  return {
    async query(session, request) {
      const people = await freeBusy.query(session, request);
      requireAnswer(people, portPeople.length(request.addresses.length));
      return people.map((person) => {
        if ('error' in person && ProviderError.isInstance(person.error)) return person;
        const read = readObject(NAMELESS, () => {
          requireShape(person, portPersonBusy);
          return person;
        });
        return 'kind' in read ? { error: new ProviderError('unreadable', read.reason) } : read;
      });
    },
  };
}

/** Leaves out tags of ids that no object has. */
function checkedTags(listTags: NonNullable<ProviderEvents['listTags']>): NonNullable<ProviderEvents['listTags']> {
  return async function* (session, calendar) {
    for await (const page of listTags(session, calendar)) {
      requireAnswer(page, portTags);
      yield page.filter(({ providerEventId }) => isUsableId(providerEventId));
    }
  };
}

async function checkEventPage(answer: EventPage, lane: string): Promise<EventPage> {
  requireAnswer(answer, portEventPage);
  const { calendarTimeZone, ...page } = answer;
  const isKnown = typeof calendarTimeZone === 'string' && resolveZone(calendarTimeZone) !== undefined;
  return { ...page, ...(isKnown ? { calendarTimeZone } : {}), changes: await checkChanges(page.changes, lane) };
}

async function checkChanges(changes: readonly EventChange[], lane: string): Promise<readonly EventChange[]> {
  requireAnswer(changes, portEventChanges);
  const yieldToEventLoop = createYieldToEventLoop(lane);
  const checked: EventChange[] = [];
  for (const unchecked of changes) {
    const change = readObject(namesOf(unchecked), () => {
      requireShape(unchecked, portEventChange);
      return unchecked;
    });
    const pause = yieldToEventLoop(stepsFor(change));
    if (pause !== undefined) await pause;
    checked.push(...checkChange(change));
  }
  return checked;
}

function stepsFor(change: EventChange): number {
  if (change.kind === 'series') return 1 + change.exceptions.length + recurrenceSteps(change.master);
  return change.kind === 'event' ? 1 + recurrenceSteps(change.event) : 1;
}

function recurrenceSteps({ content }: ProviderEvent): number {
  const lines: unknown = content?.recurrence;
  return Array.isArray(lines) ? lines.reduce((sum, line) => sum + String(line).length, 0) / CHARACTERS_PER_STEP : 0;
}

function checkChange(change: EventChange): readonly EventChange[] {
  switch (change.kind) {
    case 'event': {
      const event = checkEvent(change.event);
      return ['kind' in event ? event : { kind: 'event', event }];
    }
    case 'series':
      return [checkSeries(change)];
    case 'unreadable':
      return [withUsableIds(change)];
    case 'deleted':
    case 'reread':
      // No object has such an id.
      return isUsableId(change.providerEventId) ? [change] : [];
  }
}

function checkSeries(change: Extract<EventChange, { kind: 'series' }>): EventChange {
  const master = checkEvent(change.master);
  if ('kind' in master) return master;
  const { readable: exceptions, unreadable: odd } = separateUnreadable(change.exceptions.map(checkEvent));
  const unreadable = [...(change.unreadable ?? []).map(withUsableIds), ...odd];
  return { kind: 'series', master, exceptions, ...(unreadable.length === 0 ? {} : { unreadable }) };
}

/** Returns the object under ids that every storage can keep. */
function withUsableIds(object: UnreadableObject): UnreadableObject {
  const { providerEventId, seriesId } = object;
  const isOfSeries = seriesId !== null && isUsableId(seriesId);
  return { ...object, providerEventId: usableId(providerEventId), seriesId: isOfSeries ? seriesId : null };
}
