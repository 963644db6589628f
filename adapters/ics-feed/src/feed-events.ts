import {
  type CalendarRef,
  type Clock,
  type EventChange,
  type EventPage,
  ProviderError,
  type ProviderEvent,
  type ProviderEvents,
  type ProviderSession,
} from 'kalends/ports';
import { CALENDAR_ID } from './feed-calendars.ts';
import { changesBetween, seriesOf } from './feed-changes.ts';
import type { FeedClient } from './feed-client.ts';
import { eventsOf, type FeedReading, readFeed } from './feed-reading.ts';
import { isTooSoon, openToken, sealToken, tokenOf } from './feed-token.ts';
import { refuseWrite } from './refuse-write.ts';

const PAGE_SIZE = 100;

/** The events of each feed, reconciled by UID and RECURRENCE-ID. */
export function createFeedEvents(client: FeedClient, clock: Clock): ProviderEvents {
  /** Of one operation: a sweep asks for many events of the feed that it has just read. */
  const readings = new WeakMap<ProviderSession, FeedReading>();

  const read = async (session: ProviderSession, { id }: CalendarRef): Promise<FeedReading> => {
    if (id !== CALENDAR_ID) throw new ProviderError('not-found', 'a feed has one calendar');
    const known = readings.get(session);
    if (known !== undefined) return known;
    const { text } = await client.readFor(session, {});
    const reading = await readFeed(text ?? '');
    readings.set(session, reading);
    return reading;
  };

  /** @throws ProviderError not-found */
  const find = async (
    session: ProviderSession,
    calendar: CalendarRef,
    providerEventId: string,
  ): Promise<ProviderEvent> => {
    const { units } = await read(session, calendar);
    const unit = units.get(providerEventId) ?? units.get(seriesOf(providerEventId));
    const events = unit === undefined ? [] : eventsOf(unit.change);
    const event = events.find((each) => each.providerEventId === providerEventId) ?? events[0];
    if (event === undefined) throw new ProviderError('not-found', 'the feed has no such event');
    return event;
  };

  return {
    async *pull(session, _calendar, token, mirror) {
      const known = token === null ? undefined : openToken(token);
      const at = clock.now();
      if (known !== undefined && token !== null && isTooSoon(session, known, at)) {
        yield { changes: [], full: false, nextToken: token, isUnasked: true };
        return;
      }
      const { text, validators } = await client.readFor(session, known ?? {});
      if (text === null && known !== undefined) {
        yield { changes: [], full: false, nextToken: sealToken({ ...known, at }) };
        return;
      }
      const reading = await readFeed(text ?? '');
      readings.set(session, reading);
      const next = tokenOf(reading, validators, at);
      const changes = known === undefined ? allOf(reading) : await changesBetween(known, next, reading, mirror);
      const nextToken = sealToken(next);
      yield* pagesOf(changes, { full: known === undefined, calendarTimeZone: reading.timeZone }, nextToken);
    },
    async get(session, calendar, providerEventId) {
      const { units } = await read(session, calendar);
      const unit = units.get(providerEventId) ?? units.get(seriesOf(providerEventId));
      return [unit?.change ?? { kind: 'deleted', providerEventId }];
    },
    async listAttachments(session, calendar, providerEventId) {
      await find(session, calendar, providerEventId);
      return [];
    },
    async getDescription(session, calendar, providerEventId, format) {
      const text = (await find(session, calendar, providerEventId)).content?.description ?? '';
      return format === 'text' ? text : asHtml(text);
    },
    findCreated: async () => [],
    create: refuseWrite,
    update: refuseWrite,
    delete: refuseWrite,
    respond: refuseWrite,
  };
}

const allOf = ({ units }: FeedReading): readonly EventChange[] => [...units.values()].map(({ change }) => change);

function* pagesOf(
  changes: readonly EventChange[],
  about: Pick<EventPage, 'full' | 'calendarTimeZone'>,
  nextToken: string,
): Generator<EventPage> {
  for (let at = 0; ; at += PAGE_SIZE) {
    const isLast = at + PAGE_SIZE >= changes.length;
    yield { ...about, changes: changes.slice(at, at + PAGE_SIZE), ...(isLast ? { nextToken } : {}) };
    if (isLast) return;
  }
}

function asHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll(/\r?\n/g, '<br>');
}
