import { caldav } from '@kalends/caldav';
import type { ProviderWorld } from '@kalends/conformance';
import { icsFeed } from '@kalends/ics-feed';
import {
  createResource,
  editResource,
  type IcsComponent,
  printComponents,
  type ResourceTarget,
  readComponents,
  respondInResource,
} from 'kalends/icalendar';
import {
  type CalendarRef,
  type EventChange,
  type EventTarget,
  type Provider,
  ProviderError,
  type ProviderSession,
} from 'kalends/ports';
import { idOfUid } from '../../adapters/ics-feed/src/feed-reading.ts';

const EMAIL = 'publisher@feeds.example';
const CALENDAR: CalendarRef = {
  id: 'feed',
  timeZone: 'Europe/London',
  isPrimary: true,
  isShared: false,
  inviteEmail: '',
  allowedOnlineMeetingProviders: [],
  defaultOnlineMeetingProvider: '',
};

/**
 * A publisher who writes events into the file of a feed as CalDAV programs do, by `kalends/icalendar`, while all that is read of them is read from
 * the feed.
 */
export function createPublisher(): Pick<ProviderWorld, 'provider' | 'session' | 'calendar'> &
  Required<Pick<ProviderWorld, 'corrupt'>> {
  /** Texts of events and series by UID. */
  const resources = new Map<string, string>();
  let now = Date.UTC(2026, 0, 1);
  const fetch = async () =>
    new Response(feedOf([...resources.values()]), { headers: { 'content-type': 'text/calendar' } });
  const feed = icsFeed({ fetch });
  const context = () => {
    now += 1_000;
    return { now, calendarZone: CALENDAR.timeZone, email: EMAIL, keepsAnswers: true };
  };
  const session: ProviderSession = {
    accountId: 'acc_1',
    email: EMAIL,
    accessToken: () => Promise.reject(new Error('a feed has no access token')),
    credentials: async () => ({ kind: 'url', url: 'https://feeds.example/published.ics' }),
  };
  /** A session is of one operation, and reads the feed once. */
  const fresh = () => ({ ...session });
  const read = (id: string) => feed.events.get(fresh(), CALENDAR, id);

  function uidOf(id: string): string {
    const uid = [...resources.keys()].find((each) => idOfUid(each) === id);
    if (uid === undefined) throw new ProviderError('not-found', 'the event is gone');
    return uid;
  }

  async function edit(
    target: EventTarget,
    change: (text: string, place: ResourceTarget) => string,
  ): Promise<readonly EventChange[]> {
    const id = target.kind === 'event' ? target.providerEventId : target.seriesId;
    const place: ResourceTarget =
      target.kind === 'event' ? target : { kind: 'occurrence', recurrenceId: target.recurrenceId };
    const uid = uidOf(id);
    resources.set(uid, change(resources.get(uid) ?? '', place));
    return await read(id);
  }

  const remove: Provider['events']['delete'] = async (_session, _calendar, target) => {
    if (target.kind === 'occurrence')
      return await edit(target, (text, place) => editResource(text, place, { isCancelled: true }, context()));
    const { providerEventId } = target;
    for (const uid of resources.keys()) if (idOfUid(uid) === providerEventId) resources.delete(uid);
    return [{ kind: 'deleted', providerEventId }];
  };

  const provider: Provider = {
    ...feed,
    capabilities: (calendar) => caldav().capabilities(calendar),
    calendars: { ...feed.calendars, pull: (_session, token) => feed.calendars.pull(fresh(), token) },
    events: {
      ...feed.events,
      pull: (_session, calendar, token) => feed.events.pull(fresh(), calendar, token),
      get: (_session, calendar, id) => feed.events.get(fresh(), calendar, id),
      listAttachments: (_session, calendar, id) => feed.events.listAttachments(fresh(), calendar, id),
      getDescription: (_session, calendar, id, format) => feed.events.getDescription(fresh(), calendar, id, format),
      async create(_session, _calendar, input, { requestId, iCalUid }) {
        const uid = iCalUid ?? `${requestId}@feeds.example`;
        if (!resources.has(uid)) resources.set(uid, createResource(input, { ...context(), uid }));
        return await read(idOfUid(uid));
      },
      async update(_session, calendar, target, patch, options) {
        if (patch.isCancelled === true) return await remove(session, calendar, target, options);
        return await edit(target, (text, place) => editResource(text, place, patch, context()));
      },
      delete: remove,
      respond: (_session, _calendar, target, response) =>
        edit(target, (text, place) => respondInResource(text, place, response, context())),
    },
  };
  return {
    provider,
    session,
    calendar: CALENDAR,
    async corrupt(id) {
      const uid = uidOf(id.slice(0, 22));
      const whole = resources.get(uid) ?? '';
      const slot = id.slice(23).replace('Z', '');
      const component = new RegExp(
        `BEGIN:VEVENT(?:(?!END:VEVENT)[^])*?${slot === '' ? '' : `RECURRENCE-ID[^:]*:${slot}(?:(?!END:VEVENT)[^])*?`}END:VEVENT`,
      );
      resources.set(
        uid,
        whole.replace(component, (text) => text.replace(/^DTSTART.*$/m, 'DTSTART:soon')),
      );
      return async () => void resources.set(uid, whole);
    },
  };
}

/** One calendar of all resources, each zone once. */
function feedOf(resources: readonly string[]): string {
  const zones = new Map<string, IcsComponent>();
  const events: IcsComponent[] = [];
  for (const { components } of resources.flatMap((text) => readComponents(text).components)) {
    for (const component of components) {
      if (component.name === 'VTIMEZONE')
        zones.set(component.properties.find(({ name }) => name === 'tzid')?.raw ?? '', component);
      else events.push(component);
    }
  }
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'X-WR-CALNAME:Published', `X-WR-TIMEZONE:${CALENDAR.timeZone}`];
  return `${head.join('\r\n')}\r\n${printComponents([...zones.values(), ...events])}END:VCALENDAR\r\n`;
}
