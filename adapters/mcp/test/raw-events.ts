import ICAL from 'ical.js';
import { type McpWorld, PEOPLE, type PersonAt } from './mcp-world.ts';

/** An event as the provider has it, by the wall clock of a zone. */
export interface RawEvent {
  readonly start: string;
  readonly minutes: number;
  readonly place: string;
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
  readonly place: string;
}

/** Reads the occurrences of a title between two days from the provider itself, in their order. */
export async function rawEvents(
  world: McpWorld,
  person: PersonAt,
  title: string,
  zone: string,
  days: { readonly from: string; readonly to: string },
): Promise<readonly RawEvent[]> {
  const read = { google: googleSpans, microsoft: microsoftSpans, caldav: caldavSpans }[person];
  const spans = await read(world, title);
  return spans
    .map(({ startMs, endMs, place }) => ({ start: wallOf(startMs, zone), minutes: (endMs - startMs) / 60_000, place }))
    .filter(({ start }) => start.slice(0, 10) >= days.from && start.slice(0, 10) <= days.to)
    .sort((a, b) => (a.start < b.start ? -1 : 1));
}

/** The year with a day before and after, for zones on either side. */
const WINDOW = { from: '2026-12-31T00:00:00Z', to: '2028-01-02T00:00:00Z' };

async function googleSpans({ sandbox, url }: McpWorld, title: string): Promise<readonly Span[]> {
  const token = await sandbox.accessToken({ provider: 'google', email: PEOPLE.google.email });
  const spans: Span[] = [];
  let next: string | undefined;
  do {
    const query = new URLSearchParams({
      singleEvents: 'true',
      timeMin: WINDOW.from,
      timeMax: WINDOW.to,
      maxResults: '2500',
      ...(next && { pageToken: next }),
    });
    const answer = await fetch(`${url}/google/calendar/v3/calendars/primary/events?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const page = (await answer.json()) as {
      items: { summary?: string; location?: string; start: { dateTime: string }; end: { dateTime: string } }[];
      nextPageToken?: string;
    };
    for (const { summary, location = '', start, end } of page.items) {
      if (summary !== title) continue;
      spans.push({ startMs: Date.parse(start.dateTime), endMs: Date.parse(end.dateTime), place: location });
    }
    next = page.nextPageToken;
  } while (next !== undefined);
  return spans;
}

async function microsoftSpans({ sandbox, url }: McpWorld, title: string): Promise<readonly Span[]> {
  const token = await sandbox.accessToken({ provider: 'microsoft', email: PEOPLE.microsoft.email });
  const spans: Span[] = [];
  let next: string | undefined =
    `${url}/microsoft/v1.0/me/calendarView?startDateTime=${WINDOW.from}&endDateTime=${WINDOW.to}&$top=500`;
  while (next !== undefined) {
    const answer: Response = await fetch(next, { headers: { authorization: `Bearer ${token}` } });
    const page = (await answer.json()) as {
      value: {
        subject: string;
        location?: { displayName?: string };
        start: { dateTime: string; timeZone: string };
        end: { dateTime: string };
      }[];
      '@odata.nextLink'?: string;
    };
    for (const { subject, location, start, end } of page.value) {
      if (subject !== title) continue;
      if (start.timeZone !== 'UTC') throw new Error(`times are in ${start.timeZone}`);
      const at = ({ dateTime }: { dateTime: string }) => Date.parse(`${dateTime.slice(0, 19)}Z`);
      spans.push({ startMs: at(start), endMs: at(end), place: location?.displayName ?? '' });
    }
    next = page['@odata.nextLink'];
  }
  return spans;
}

const QUERY = `<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><c:calendar-data/></d:prop>
<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"/></c:comp-filter></c:filter></c:calendar-query>`;

async function caldavSpans(world: McpWorld, title: string): Promise<readonly Span[]> {
  const { sandbox, url, accounts, engine, applicationId } = world;
  const { email } = PEOPLE.caldav;
  const password = sandbox.caldav.addAppPassword({ email });
  const { data } = await engine.calendars.list({ applicationId }, accounts.caldav, {});
  const primary = data.find(({ isPrimary }) => isPrimary) ?? data[0];
  const path = Buffer.from(primary?.id ?? '', 'base64url').toString();
  const answer = await fetch(new URL(path, url), {
    method: 'REPORT',
    headers: {
      authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
      depth: '1',
      'content-type': 'application/xml',
    },
    body: QUERY,
  });
  const xml = await answer.text();
  if (answer.status !== 207) throw new Error(`REPORT ${path}: ${answer.status} ${xml}`);
  const objects = [...xml.matchAll(/BEGIN:VCALENDAR[\s\S]*?END:VCALENDAR/g)].map(([text]) =>
    text
      .replaceAll('&#13;', '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );
  return objects.flatMap((text) => spansOf(text, title));
}

/** Expands an object by ical.js, which shares nothing with kalends. */
function spansOf(text: string, title: string): readonly Span[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(new ICAL.Timezone(zone));
  const events = calendar.getAllSubcomponents('vevent');
  const exceptions = events.filter((event) => event.hasProperty('recurrence-id'));
  const spans: Span[] = [];
  for (const component of events) {
    if (component.hasProperty('recurrence-id')) continue;
    const event = new ICAL.Event(component, { exceptions });
    if (event.summary !== title) continue;
    const iterator = event.iterator();
    for (let slot = iterator.next(); slot; slot = iterator.next()) {
      if (slot.year > 2027) break;
      const { startDate, endDate, item } = event.getOccurrenceDetails(slot);
      if (item.component.getFirstPropertyValue('status') === 'CANCELLED') continue;
      const place = String(item.location ?? '');
      spans.push({ startMs: startDate.toJSDate().getTime(), endMs: endDate.toJSDate().getTime(), place });
    }
  }
  return spans;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the wall time of an instant by the runtime's own words. */
function wallOf(instantMs: number, zone: string): string {
  const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', options);
  formats.set(zone, format);
  return format.format(new Date(instantMs)).replace(' ', 'T');
}
