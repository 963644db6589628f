import { isWholeText } from 'kalends/icalendar';
import {
  type CalendarRef,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
  unreadableField,
} from 'kalends/ports';
import { runInTurns } from 'kalends/runtime';
import type { CaldavSettings } from '../options.ts';
import { pathOfId } from '../protocol/paths.ts';
import { addressOf, type EventAddress, findAddress, objectId } from './event-ids.ts';
import { createEventPull, type EventCalls } from './event-pull.ts';
import { createEventWrites } from './event-writes.ts';
import type { CalendarObject } from './object-calls.ts';
import { readAttachments, readDescription } from './object-details.ts';
import { CUT_OFF, changesOf, refusedObject } from './object-reading.ts';

/** Tags of one page. */
const TAGS_PER_PAGE = 1_000;

/** Creates a calendar's events: one object for each event or series, with all its exceptions. */
export function createEvents(settings: CaldavSettings, { calls, looks, personOf }: EventCalls): ProviderEvents {
  const { clock } = settings;

  async function findObject(
    session: ProviderSession,
    calendar: CalendarRef,
    { path }: EventAddress,
  ): Promise<CalendarObject | undefined> {
    const found = await calls.read(session, pathOfId(calendar.id), path);
    await requireCalendar(session, calendar, found);
    return found;
  }

  /** Some servers answer for a calendar that is gone as for an object that is: a list tells. */
  async function requireCalendar(session: ProviderSession, calendar: CalendarRef, found: unknown): Promise<void> {
    if (found === undefined) await calls.list(session, pathOfId(calendar.id));
  }

  async function getObject(session: ProviderSession, calendar: CalendarRef, id: string) {
    const address = addressOf(id, calendar.id);
    const object = await findObject(session, calendar, address);
    if (object === undefined) throw new ProviderError('not-found', 'the event is gone');
    if (!isWholeText(object.text)) throw unreadableField('END', CUT_OFF);
    return { object, address };
  }

  return {
    carriesAnswers: true,
    pull: createEventPull({ calls, looks, personOf }, () => clock.now()),

    async *listTags(session, calendar) {
      const objects = await calls.listEvents(session, pathOfId(calendar.id));
      for (let at = 0; at < objects.length; at += TAGS_PER_PAGE) {
        yield objects
          .slice(at, at + TAGS_PER_PAGE)
          .map(({ path, tag }) => ({ providerEventId: objectId(path), providerTag: tag }));
      }
    },

    async get(session, calendar, providerEventId) {
      // The engine may ask for an id of its own: not-found would say that the calendar is gone.
      const path = findAddress(providerEventId, calendar.id)?.path;
      if (path === undefined) {
        await requireCalendar(session, calendar, undefined);
        return [{ kind: 'deleted', providerEventId }];
      }
      const { found, refused } = await calls.readEach(session, pathOfId(calendar.id), [path]);
      const refusal = refused.get(path);
      if (refusal !== undefined) {
        // Of one that is not there any more, a refusal says nothing: a later read tells.
        const isListed = (await calls.list(session, pathOfId(calendar.id))).some((object) => object.path === path);
        if (!isListed) throw refusal;
        return [refusedObject(providerEventId, refusal)];
      }
      const object = found.get(path);
      await requireCalendar(session, calendar, object);
      return runInTurns(changesOf(providerEventId, object, await personOf(session), calendar));
    },

    async listAttachments(session, calendar, providerEventId) {
      const { object, address } = await getObject(session, calendar, providerEventId);
      return readAttachments(object, address);
    },

    async getDescription(session, calendar, providerEventId, format) {
      const { object, address } = await getObject(session, calendar, providerEventId);
      return readDescription(object, address, format);
    },

    ...createEventWrites(settings, calls, personOf),
  };
}
