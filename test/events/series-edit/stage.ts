import { seededRandom, waitlessClock } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import type { CalendarRef, EventChange, NewEvent, Provider, ProviderEvent, ProviderSession } from 'kalends/ports';
import { instantOf } from 'kalends/zones';

const URL_OF_SANDBOX = 'http://sandbox.test';
const EMAIL = 'ada@example.test';
export const ZONE = 'America/New_York';

export type StagedProvider = 'google' | 'microsoft';

/** One provider over its sandbox, and a person there. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly provider: Provider;
  readonly session: ProviderSession;
  readonly calendar: CalendarRef;
  create(input: NewEvent): Promise<ProviderEvent>;
  /** The provider's own expansion of a window, as `start/end title`, ascending. */
  shown(from: string, to: string): Promise<readonly string[]>;
  /** Single events and series masters at the provider. */
  masters(): Promise<readonly string[]>;
  close(): Promise<void>;
}

let requests = 0;

export async function createStage(name: StagedProvider): Promise<Stage> {
  const sandbox = createSandbox({ seed: 5 });
  const network = (input: string | URL | Request, init?: RequestInit) => sandbox.fetch(new Request(input, init));
  sandbox[name].addMailbox({ email: EMAIL, name: 'Ada', timeZone: ZONE });
  const clock = waitlessClock(() => sandbox.clock.now());
  const shared = { fetch: network, clock, random: seededRandom(5) };
  const provider =
    name === 'google'
      ? google({ ...googleEndpoints(`${URL_OF_SANDBOX}/google`), ...shared })
      : microsoft({ ...microsoftEndpoints(`${URL_OF_SANDBOX}/microsoft`), ...shared });
  const accessToken = () => sandbox.accessToken({ provider: name, email: EMAIL });
  const session: ProviderSession = { accountId: 'acc_1', email: EMAIL, accessToken };
  const calendar = await primary(provider, session);

  // biome-ignore lint/suspicious/noExplicitAny: wire JSON under test
  async function api(path: string): Promise<any> {
    const response = await network(`${URL_OF_SANDBOX}/${path}`, {
      headers: { authorization: `Bearer ${await accessToken()}` },
    });
    return response.json();
  }

  async function rows(from: string, to: string): Promise<readonly string[]> {
    if (name === 'google') {
      const query = new URLSearchParams({ singleEvents: 'true', timeMin: from, timeMax: to, maxResults: '2500' });
      const { items } = await api(`google/calendar/v3/calendars/primary/events?${query}`);
      const at = (time: { date?: string; dateTime?: string }) =>
        time.date ?? new Date(time.dateTime!).toISOString().slice(0, 16);
      return items.map(
        (item: { start: object; end: object; summary: string }) => `${at(item.start)}/${at(item.end)} ${item.summary}`,
      );
    }
    const query = new URLSearchParams({ startDateTime: from, endDateTime: to, $top: '1000' });
    const { value } = await api(`microsoft/v1.0/me/calendarView?${query}`);
    return value.map((item: { isAllDay: boolean; subject: string; start: Wire; end: Wire }) => {
      const at = ({ dateTime, timeZone }: Wire) =>
        item.isAllDay
          ? dateTime.slice(0, 10)
          : new Date(instantOf(timeZone, Date.parse(`${dateTime.slice(0, 19)}Z`))).toISOString().slice(0, 16);
      return `${at(item.start)}/${at(item.end)} ${item.subject}`;
    });
  }

  return {
    sandbox,
    provider,
    session,
    calendar,
    async create(input) {
      requests += 1;
      const requestId = requests.toString(16).padStart(32, '0');
      return masterOf(await provider.events.create(session, calendar, input, { requestId }));
    },
    shown: async (from, to) => [...(await rows(from, to))].sort(),
    async masters() {
      const titles: string[] = [];
      for await (const page of provider.events.pull(session, calendar, null)) {
        for (const change of page.changes) {
          const event = change.kind === 'series' ? change.master : change.kind === 'event' ? change.event : undefined;
          if (event?.content != null && event.seriesId === null) titles.push(event.providerEventId);
        }
      }
      return titles;
    },
    close: () => sandbox.close(),
  };
}

interface Wire {
  readonly dateTime: string;
  readonly timeZone: string;
}

async function primary(provider: Provider, session: ProviderSession): Promise<CalendarRef> {
  for await (const page of provider.calendars.pull(session, null)) {
    for (const change of page.changes)
      if (change.kind === 'calendar' && change.calendar.isPrimary) return change.calendar;
  }
  throw new Error('there is no primary calendar');
}

/** The one event of an answer, or the master of its one series. */
export function masterOf(changes: readonly EventChange[]): ProviderEvent {
  const [change] = changes;
  if (change?.kind === 'series') return change.master;
  if (change?.kind === 'event') return change.event;
  throw new Error(`no event in ${JSON.stringify(changes)}`);
}
