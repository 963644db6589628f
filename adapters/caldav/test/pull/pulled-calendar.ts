import type { CaldavOptions } from '@kalends/caldav';
import {
  type EventChange,
  type EventPage,
  type ProviderCalendar,
  ProviderError,
  type ProviderSession,
} from 'kalends/ports';
import { onTestFinished } from 'vitest';
import { pathOf } from '../../src/protocol/paths.ts';
import { ADA, type Harness, startHarness } from '../harness.ts';

/** A request of the provider. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly depth: string | null;
  readonly body: string;
  /** Name of the report, such as `sync-collection`; empty for another request. */
  readonly report: string;
}

/** Changes one answer: gets the request and the stand-in's answer to it, lazily; also to another body. */
export type Answering = (asked: Asked, ask: (body?: string) => Promise<Response>) => Response | Promise<Response>;

/** Instant at which the stand-in's clock starts. It moves when it is told. */
const NOW = Date.UTC(2026, 2, 2, 12);

/** A calendar of the stand-in, pulled into a mirror as the engine does it. */
export interface PulledCalendar {
  readonly harness: Harness;
  readonly session: ProviderSession;
  readonly calendar: ProviderCalendar;
  /** Requests of the provider so far. */
  readonly asked: Asked[];
  /** Paths of the mirrored objects with their titles, by path. */
  readonly mirror: Mirror;
  /** Changes that cannot be read, of the last pull. */
  readonly unreadable: string[];
  /** Answers from now on as told; undefined: as the stand-in does. */
  answerBy(answering: Answering | undefined): void;
  /** Lets time pass. */
  advance(ms: number): void;
  put(name: string, title: string, lines?: readonly string[]): Promise<void>;
  remove(name: string): Promise<void>;
  /** The resume point; also set, to play one that the provider stored. */
  token: string | null;
  /** Pulls once; a refused token is followed by a full pull. Resolves with the kinds of the pulls. */
  pull(): Promise<readonly ('full' | 'increment')[]>;
  /** The stand-in's own state, in the form of the mirror. */
  stored(): Readonly<Record<string, string>>;
  shown(): Readonly<Record<string, string>>;
}

type Mirror = Map<
  string,
  { readonly title: string; readonly tag: string | null; readonly answer?: string | undefined }
>;

/** Prints an object with one event. */
function objectText(uid: string, title: string, lines: readonly string[]): string {
  const event = ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260301T000000Z', `SUMMARY:${title}`];
  const times = ['DTSTART:20260303T090000Z', 'DTEND:20260303T100000Z'];
  const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...event, ...times, ...lines, 'END:VEVENT'];
  return [...all, 'END:VCALENDAR', ''].join('\r\n');
}

function readAsked(url: string, init: RequestInit): Asked {
  const body = typeof init.body === 'string' ? init.body : '';
  const [, report = ''] = /<[A-Z]:(sync-collection|calendar-multiget) /.exec(body) ?? [];
  return { method: init.method ?? 'GET', url, depth: new Headers(init.headers).get('depth'), body, report };
}

/** Starts a stand-in with these quirks, and Ada's empty calendar. */
export function startCalendar(...quirks: readonly string[]): Promise<PulledCalendar> {
  return startCalendarWith({}, ...quirks);
}

/** Starts one likewise, for a provider with these options; pulled by no request of a caller, if `isBackground`. */
export async function startCalendarWith(
  { isBackground = false, ...options }: Pick<CaldavOptions, 'limits'> & { readonly isBackground?: boolean },
  ...quirks: readonly string[]
): Promise<PulledCalendar> {
  const asked: Asked[] = [];
  let answering: Answering | undefined;
  let now = NOW;
  const harness = await startHarness(
    {
      ...options,
      async fetch(input, init = {}) {
        const url = String(input);
        const request = readAsked(url, init);
        asked.push(request);
        const ask = (body?: string) => fetch(url, body === undefined ? init : { ...init, body });
        return answering === undefined ? ask() : answering(request, ask);
      },
    },
    { clock: { now: () => now } },
  );
  onTestFinished(() => harness.close());
  harness.control('setQuirks', { quirks });
  const session = { ...(await harness.sessionOf(ADA)), isBackground };
  const calendar = await harness.primaryOf(ADA);
  const { password } = harness.control('addAppPassword', { email: ADA }) as { password: string };
  const authorization = `Basic ${Buffer.from(`${ADA}:${password}`).toString('base64')}`;
  const folder = `${harness.url}calendars/${encodeURIComponent(ADA)}/personal/`;
  const folderPath = pathOf(folder, new URL(harness.url)) ?? '';
  const mirror: Mirror = new Map();
  const unreadable: string[] = [];

  async function write(method: string, name: string, body?: string): Promise<void> {
    const headers = { authorization, 'content-type': 'text/calendar; charset=utf-8' };
    const answer = await fetch(`${folder}${encodeURIComponent(name)}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${name} was answered ${answer.status}`);
  }

  function apply(change: EventChange): void {
    if (change.kind === 'deleted') mirror.delete(nameOf(change.providerEventId));
    if (change.kind === 'unreadable') unreadable.push(nameOf(change.providerEventId));
    const event = change.kind === 'event' ? change.event : change.kind === 'series' ? change.master : undefined;
    if (event === undefined) return;
    const { title = '', myResponseStatus: answer } = event.content ?? {};
    mirror.set(nameOf(event.providerEventId), { title, tag: event.providerTag, answer });
  }

  function nameOf(id: string): string {
    return Buffer.from(id, 'base64url').toString('utf8').replace(folderPath, '');
  }

  const known = {
    tagsOf: async (ids: readonly string[]) =>
      new Map(
        ids.flatMap((id) => {
          const tag = mirror.get(nameOf(id))?.tag;
          return tag == null ? [] : [[id, tag] as const];
        }),
      ),
    async *listIds() {
      yield [...mirror.keys()].map((name) => Buffer.from(`${folderPath}${name}`).toString('base64url'));
    },
  };

  /** Applies pages; what a full pull does not name goes, save what cannot be read. */
  async function take(pages: AsyncIterable<EventPage>, isFull: boolean): Promise<string> {
    const before = new Set(mirror.keys());
    let next: string | undefined;
    for await (const { changes, nextToken } of pages) {
      for (const change of changes) {
        apply(change);
        if (change.kind === 'event') before.delete(nameOf(change.event.providerEventId));
        if (change.kind === 'series') before.delete(nameOf(change.master.providerEventId));
        if (change.kind === 'unreadable') before.delete(nameOf(change.providerEventId));
      }
      next = nextToken ?? next;
    }
    if (next === undefined) throw new Error('the last page has no resume point');
    if (isFull) for (const name of before) mirror.delete(name);
    return next;
  }

  const started: PulledCalendar = {
    harness,
    session,
    calendar,
    asked,
    mirror,
    unreadable,
    token: null,
    answerBy(given) {
      answering = given;
    },
    advance(ms) {
      now += ms;
    },
    put: (name, title, lines = []) => write('PUT', name, objectText(name, title, lines)),
    remove: (name) => write('DELETE', name),
    async pull() {
      unreadable.length = 0;
      const { events } = harness.provider;
      if (started.token !== null) {
        try {
          started.token = await take(events.pull(session, calendar, started.token, known), false);
          return ['increment'];
        } catch (error) {
          if (!ProviderError.isInstance(error) || error.reason !== 'sync-token-expired') throw error;
        }
      }
      const kinds = started.token === null ? (['full'] as const) : (['increment', 'full'] as const);
      started.token = await take(events.pull(session, calendar, null, known), true);
      return kinds;
    },
    stored() {
      const { objects } = harness.control('objects', { email: ADA }) as {
        objects: readonly { name: string; data: string }[];
      };
      return sorted(objects.map(({ name, data }) => [name, /^SUMMARY:(.*)\r$/m.exec(data)?.[1] ?? '']));
    },
    shown: () => sorted([...mirror].map(([name, { title }]) => [name, title])),
  };
  return started;
}

function sorted(entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Changes the text of an answer. */
export async function edited(answer: Response, edit: (text: string) => string): Promise<Response> {
  const { status, headers } = answer;
  const text = edit(await answer.text());
  return new Response(text, { status, headers: { 'content-type': headers.get('content-type') ?? 'application/xml' } });
}

/** Changes each response of a multistatus; undefined leaves one out. */
export function editResponses(answer: Response, edit: (response: string) => string): Promise<Response> {
  return edited(answer, (text) => text.replaceAll(/<D:response>.*?<\/D:response>/gs, edit));
}

/** Prints an error with a precondition. */
export function refusal(status: number, precondition?: string): Response {
  const body =
    precondition === undefined
      ? '<html><body>no</body></html>'
      : `<D:error xmlns:D="DAV:"><D:${precondition}/></D:error>`;
  return new Response(body, { status });
}

/** Whether a request asks for changes after a token. */
export function asksSince({ report, body }: Asked): boolean {
  return report === 'sync-collection' && !body.includes('<D:sync-token></D:sync-token>');
}

/** Whether a request lists the objects of a calendar by PROPFIND. */
export function listsObjects({ method, depth, url }: Asked): boolean {
  return method === 'PROPFIND' && depth === '1' && url.endsWith('/personal/');
}
