import type {
  CalendarChange,
  EventChange,
  EventContent,
  EventPage,
  EventTarget,
  Provider,
  ProviderCalendar,
  ProviderEvent,
  RecurrenceId,
} from 'kalends/ports';
import { ProviderError } from 'kalends/ports';
import { applyEventPatch, cancelledSlot, slotKey } from './fake-events.ts';

/** A provider in memory: plain maps, a log of changes, and switches for what can go wrong. */
export interface FakeProvider {
  readonly provider: Provider;
  readonly calendars: Map<string, ProviderCalendar>;
  /** Objects of a calendar by provider id. Exceptions have ids of their own that tell nothing. */
  events(calendarId: string): Map<string, ProviderEvent>;
  /** Puts an object as another person would. */
  put(calendarId: string, event: ProviderEvent): ProviderEvent;
  /** Removes a single event or a whole series. */
  remove(calendarId: string, providerEventId: string): void;
  /** Tells a series anew, after exceptions have been dropped. */
  touchSeries(calendarId: string, seriesId: string): void;
  putCalendar(calendar: ProviderCalendar): void;
  removeCalendar(calendarId: string): void;
  /** Sync tokens given out so far are dead from now on. */
  expireTokens(): void;
  readonly switches: FakeSwitches;
  /** Calls by name, in order. */
  readonly calls: string[];
  /** Request ids of creates, in order. */
  readonly requestIds: readonly string[];
}

export interface FakeSwitches {
  pageSize: number;
  /** Tell touched series whole instead of object by object. */
  wholeSeries: boolean;
  /** Name touched objects instead of telling them, in incremental pulls. */
  namesOnly: boolean;
  /** The zone that event pages name; undefined: none. */
  pageZone: string | undefined;
  /** Thrown by every call, if it says so. */
  fail: ((call: string) => ProviderError | undefined) | undefined;
  /** Runs after an answer was computed and before it arrives. */
  beforeAnswer: ((call: string) => Promise<void>) | undefined;
  /** Ids that full listings skip. */
  hidden: Set<string>;
}

interface LogEntry {
  readonly calendarId: string;
  readonly id: string;
  /** Reports the series as a whole. */
  readonly whole?: boolean;
}

export function fakeProvider(): FakeProvider {
  const calendars = new Map<string, ProviderCalendar>();
  const stores = new Map<string, Map<string, ProviderEvent>>();
  const log: LogEntry[] = [];
  const calendarLog: string[] = [];
  const calls: string[] = [];
  const requestIds: string[] = [];
  let epoch = 0;
  let counter = 0;
  const switches: FakeSwitches = {
    pageSize: 100,
    wholeSeries: false,
    namesOnly: false,
    pageZone: undefined,
    fail: undefined,
    beforeAnswer: undefined,
    hidden: new Set(),
  };

  const events = (calendarId: string) => {
    const store = stores.get(calendarId) ?? new Map<string, ProviderEvent>();
    stores.set(calendarId, store);
    return store;
  };
  const nextTag = () => `tag${++counter}`;
  const called = (name: string) => {
    calls.push(name);
    const failure = switches.fail?.(name);
    if (failure !== undefined) throw failure;
  };
  const arrive = async <Answer>(name: string, answer: Answer): Promise<Answer> => {
    await switches.beforeAnswer?.(name);
    return answer;
  };

  function put(calendarId: string, event: ProviderEvent): ProviderEvent {
    const stored = { ...event, providerTag: nextTag() };
    events(calendarId).set(event.providerEventId, stored);
    log.push({ calendarId, id: event.providerEventId });
    return stored;
  }

  function remove(calendarId: string, id: string): void {
    const store = events(calendarId);
    store.delete(id);
    for (const event of [...store.values()]) if (event.seriesId === id) store.delete(event.providerEventId);
    log.push({ calendarId, id });
  }

  function seriesOf(calendarId: string, master: ProviderEvent): EventChange {
    const exceptions = [...events(calendarId).values()].filter((event) => event.seriesId === master.providerEventId);
    return { kind: 'series', master, exceptions };
  }

  function stateOf(calendarId: string, id: string): readonly EventChange[] {
    const event = events(calendarId).get(id);
    if (event === undefined) return [{ kind: 'deleted', providerEventId: id }];
    const master = event.seriesId === null ? event : events(calendarId).get(event.seriesId);
    if (master?.content?.recurrence != null) return [seriesOf(calendarId, master)];
    return [{ kind: 'event', event }];
  }

  function changeOf(calendarId: string, id: string, whole: boolean, named: boolean): EventChange {
    if (named) return { kind: 'reread', providerEventId: id };
    const event = events(calendarId).get(id);
    if (event === undefined) return { kind: 'deleted', providerEventId: id };
    return whole ? stateOf(calendarId, id)[0]! : { kind: 'event', event };
  }

  function requireCalendar(calendarId: string): ProviderCalendar {
    const calendar = calendars.get(calendarId);
    if (calendar === undefined) throw new ProviderError('not-found', 'no such calendar');
    return calendar;
  }

  async function* pullEvents(calendarId: string, token: string | null): AsyncGenerator<EventPage> {
    called('events.pull');
    requireCalendar(calendarId);
    const [tokenEpoch, from] = token === null ? [epoch, 0] : token.split(':').map(Number);
    if (tokenEpoch !== epoch) throw new ProviderError('sync-token-expired', 'token is dead');
    const nextToken = `${epoch}:${log.length}`;
    const since = log.slice(from).filter((entry) => entry.calendarId === calendarId);
    const touched =
      token === null
        ? [...events(calendarId).keys()].filter((id) => !switches.hidden.has(id))
        : since.map(({ id }) => id);
    const ids = [...new Set(touched)];
    const whole = new Set(since.filter((entry) => entry.whole).map(({ id }) => id));
    const isWhole = (id: string) => switches.wholeSeries || whole.has(id);
    const zone = switches.pageZone === undefined ? {} : { calendarTimeZone: switches.pageZone };
    for (let at = 0; ; at += switches.pageSize) {
      if (at > 0) called('events.pull.page');
      const isLast = at + switches.pageSize >= ids.length;
      const changes = ids
        .slice(at, at + switches.pageSize)
        .map((id) => changeOf(calendarId, id, isWhole(id), token !== null && switches.namesOnly));
      const page = { changes, full: token === null, ...zone, ...(isLast ? { nextToken } : {}) };
      yield await arrive('events.pull', page);
      if (isLast) return;
    }
  }

  /** A slot that is no exception yet has no version but its series'. */
  function versionOf(
    calendarId: string,
    { seriesId, current }: Extract<EventTarget, { kind: 'occurrence' }>,
    known: ProviderEvent | undefined,
  ): ProviderEvent | undefined {
    return current.providerEventId === '' ? events(calendarId).get(seriesId) : known;
  }

  function requireTag(event: ProviderEvent | undefined, ifMatch: string | undefined): void {
    if (ifMatch !== undefined && event?.providerTag !== ifMatch) {
      throw new ProviderError('precondition-failed', 'tag has changed');
    }
  }

  function exceptionAt(calendarId: string, seriesId: string, slot: RecurrenceId): ProviderEvent | undefined {
    return [...events(calendarId).values()].find(
      (event) => event.seriesId === seriesId && slotKey(event.recurrenceId!) === slotKey(slot),
    );
  }

  const provider: Provider = {
    name: 'fake',
    mappingVersion: 1,
    authorization: undefined as unknown as Provider['authorization'],
    push: undefined as unknown as Provider['push'],
    capabilities: undefined as unknown as Provider['capabilities'],
    calendars: {
      async *pull(_session, token) {
        called('calendars.pull');
        const from = token === null ? 0 : Number(token);
        const ids =
          token === null
            ? [...calendars.keys()].filter((id) => !switches.hidden.has(id))
            : [...new Set(calendarLog.slice(from))];
        const changes = ids.map((id): CalendarChange => {
          const calendar = calendars.get(id);
          return calendar === undefined ? { kind: 'deleted', calendarId: id } : { kind: 'calendar', calendar };
        });
        yield await arrive('calendars.pull', {
          changes,
          full: token === null,
          nextToken: String(calendarLog.length),
        });
      },
      async exists(_session, calendarId) {
        called('calendars.exists');
        return await arrive('calendars.exists', calendars.has(calendarId));
      },
      async create(_session, input) {
        called('calendars.create');
        const calendar = fakeCalendar(`new${++counter}`, {
          name: input.name,
          ...(input.hexColor == null ? {} : { hexColor: input.hexColor }),
          ...(input.timeZone == null ? {} : { timeZone: input.timeZone }),
        });
        putCalendar(calendar);
        return await arrive('calendars.create', calendar);
      },
      async update(_session, calendarId, patch) {
        called('calendars.update');
        const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value != null));
        const calendar = { ...requireCalendar(calendarId), ...given, providerTag: nextTag() };
        putCalendar(calendar);
        return await arrive('calendars.update', calendar);
      },
      async delete(_session, calendarId) {
        called('calendars.delete');
        removeCalendar(calendarId);
        await arrive('calendars.delete', undefined);
      },
    },
    events: {
      pull: (_session, { id }, token) => pullEvents(id, token),
      async get(_session, { id: calendarId }, id) {
        called('events.get');
        requireCalendar(calendarId);
        return await arrive('events.get', stateOf(calendarId, id));
      },
      async listAttachments(_session, { id: calendarId }, id) {
        called('events.listAttachments');
        if (!events(calendarId).has(id)) throw new ProviderError('not-found', 'no such event');
        return [];
      },
      async getDescription(_session, { id: calendarId }, id) {
        called('events.getDescription');
        const event = events(calendarId).get(id);
        if (event === undefined) throw new ProviderError('not-found', 'no such event');
        return event.content?.description ?? '';
      },
      async findCreated(_session, { id: calendarId }, requestId) {
        called('events.findCreated');
        return stateOf(calendarId, eventIdOf(requestId)).filter(({ kind }) => kind !== 'deleted');
      },
      async create(_session, { id: calendarId }, input, { requestId }) {
        requestIds.push(requestId);
        called('events.create');
        const base = { providerEventId: eventIdOf(requestId), providerTag: null, seriesId: null };
        const empty = { ...base, recurrenceId: null, isCancelled: false, isOrganizer: true, content: null };
        const event = put(calendarId, applyEventPatch(empty, input));
        return await arrive('events.create', stateOf(calendarId, event.providerEventId));
      },
      async update(_session, { id: calendarId }, target, patch, { ifMatch }) {
        called('events.update');
        if (target.kind === 'event') {
          const event = events(calendarId).get(target.providerEventId);
          if (event === undefined) throw new ProviderError('not-found', 'no such event');
          requireTag(event, ifMatch);
          put(calendarId, applyEventPatch(event, patch));
          return await arrive('events.update', stateOf(calendarId, target.providerEventId));
        }
        const known = exceptionAt(calendarId, target.seriesId, target.recurrenceId);
        requireTag(versionOf(calendarId, target, known), ifMatch);
        const current =
          known?.content == null
            ? { ...target.current, ...(known && { providerEventId: known.providerEventId }) }
            : known;
        const providerEventId = current.providerEventId || `x${++counter}`;
        put(calendarId, { ...applyEventPatch({ ...current, isCancelled: false }, patch), providerEventId });
        return await arrive('events.update', stateOf(calendarId, target.seriesId));
      },
      async delete(_session, { id: calendarId }, target, { ifMatch }) {
        called('events.delete');
        if (target.kind === 'event') {
          requireTag(events(calendarId).get(target.providerEventId), ifMatch);
          remove(calendarId, target.providerEventId);
          return await arrive('events.delete', stateOf(calendarId, target.providerEventId));
        }
        const known = exceptionAt(calendarId, target.seriesId, target.recurrenceId);
        requireTag(versionOf(calendarId, target, known), ifMatch);
        put(calendarId, cancelledSlot(target.seriesId, target.recurrenceId, known?.providerEventId ?? `x${++counter}`));
        return await arrive('events.delete', stateOf(calendarId, target.seriesId));
      },
      async respond(_session, { id: calendarId }, target, response) {
        called('events.respond');
        const id = target.kind === 'event' ? target.providerEventId : target.current.providerEventId || `x${++counter}`;
        const { current } = target;
        if (current.isOrganizer) throw new ProviderError('forbidden', 'the organizer does not answer');
        put(calendarId, {
          ...current,
          providerEventId: id,
          content: { ...(current.content as EventContent), myResponseStatus: response },
        });
        return await arrive('events.respond', stateOf(calendarId, id));
      },
    },
  };

  function putCalendar(calendar: ProviderCalendar): void {
    calendars.set(calendar.id, calendar);
    calendarLog.push(calendar.id);
  }

  function removeCalendar(calendarId: string): void {
    calendars.delete(calendarId);
    stores.delete(calendarId);
    calendarLog.push(calendarId);
  }

  return {
    provider,
    calendars,
    events,
    put,
    remove,
    touchSeries: (calendarId, id) => void log.push({ calendarId, id, whole: true }),
    putCalendar,
    removeCalendar,
    expireTokens: () => void epoch++,
    switches,
    calls,
    requestIds,
  };
}

export function fakeCalendar(id: string, fields: Partial<ProviderCalendar> = {}): ProviderCalendar {
  return {
    id,
    providerTag: null,
    name: id,
    hexColor: '#336699',
    readOnly: false,
    isPrimary: false,
    isShared: false,
    timeZone: 'America/New_York',
    inviteEmail: 'ann@example.com',
    allowedOnlineMeetingProviders: [],
    defaultOnlineMeetingProvider: '',
    ...fields,
  };
}

const eventIdOf = (requestId: string) => `evt${requestId.slice(0, 8)}`;
