import { guardedFetch } from 'kalends/guarded-fetch';
import { makeCalendar } from '../raw/raw-calendar.ts';
import type { CalendarServer } from '../start/calendar-server.ts';

/** The requests that a sync cannot do without, by `fetch` alone: answers are read as text and looked through, not parsed. */
export interface BareRequests {
  readonly url: string;
  put(name: string, text: string): Promise<void>;
  /** Lists all objects by sync-collection, and reads them 50 at a time, three requests at once. Resolves with their number. */
  pull(): Promise<number>;
  /** Asks sync-collection what has changed since `pull`. */
  poll(): Promise<void>;
  /** Replaces the whole calendar (Radicale alone). */
  putAll(text: string): Promise<void>;
  /** Reads an object of those pulled with its tag, writes it under that tag, and reads what the server made of it. */
  edit(change: (text: string) => string): Promise<void>;
  /** The object that `edit` writes. */
  edited(): string;
}

/**
 * The connections of both sides. Node's own `fetch` has the same undici behind it once kalends is imported, and ends the process when
 * Radicale ends a connection.
 */
export const localFetch = guardedFetch({ allowedNetworks: ['127.0.0.0/8'] });

const PER_CALL = 50;
const AT_ONCE = 3;
const TEXT = { 'content-type': 'text/calendar; charset=utf-8' };
const XML = { 'content-type': 'application/xml; charset=utf-8' };

/** Makes a new calendar at the server for its first person. */
export async function bareRequests(server: CalendarServer, calendar: string): Promise<BareRequests> {
  const { url } = await makeCalendar(server, server.alice, calendar);
  const { username, password } = server.alice;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const { pathname } = new URL(url);
  let token = '';
  let edited = '';

  async function send(method: string, target: string, headers: Record<string, string>, body: string): Promise<string> {
    const ask = () => localFetch(new URL(target, url), { method, headers: { authorization, ...headers }, body });
    // SOGo closes a connection that a next request is already on its way through.
    const answer = await ask().catch(ask);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text.slice(0, 200)}`);
    return text;
  }

  async function sync(): Promise<readonly string[]> {
    const body = `<?xml version="1.0"?><sync-collection xmlns="DAV:"><sync-token>${token}</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>`;
    const text = await send('REPORT', url, { ...XML, depth: '0' }, body);
    token = /<(?:\w+:)?sync-token>([^<]*)</.exec(text)?.[1] ?? '';
    return hrefsIn(text).filter((href) => decodeURIComponent(href) !== pathname);
  }

  async function multiget(hrefs: readonly string[]): Promise<string> {
    const list = hrefs.map((href) => `<d:href>${href}</d:href>`).join('');
    const body = `<?xml version="1.0"?><c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/><c:calendar-data/></d:prop>${list}</c:calendar-multiget>`;
    return send('REPORT', url, { ...XML, depth: '1' }, body);
  }

  return {
    url,
    put: async (name, text) => void (await send('PUT', name, TEXT, text)),
    putAll: async (text) => void (await send('PUT', url, TEXT, text)),
    edited: () => edited,
    async pull() {
      token = '';
      const hrefs = await sync();
      edited = hrefs[0] ?? '';
      let found = 0;
      for (let at = 0; at < hrefs.length; at += PER_CALL * AT_ONCE) {
        const parts = Array.from({ length: AT_ONCE }, (_, index) => at + index * PER_CALL)
          .map((from) => hrefs.slice(from, from + PER_CALL))
          .filter((part) => part.length > 0);
        const texts = await Promise.all(parts.map(multiget));
        for (const text of texts) found += text.split('BEGIN:VEVENT').length - 1;
      }
      return found;
    },
    poll: async () => void (await sync()),
    async edit(change) {
      const read = await multiget([edited]);
      const tag = unescaped(/<(?:\w+:)?getetag>([^<]*)</.exec(read)?.[1] ?? '');
      const text = unescaped(/BEGIN:VCALENDAR[\s\S]*END:VCALENDAR\r?\n?/.exec(read)?.[0] ?? '');
      await send('PUT', edited, { ...TEXT, 'if-match': tag }, change(text));
      await multiget([edited]);
    },
  };
}

function hrefsIn(text: string): readonly string[] {
  return [...text.matchAll(/<(?:\w+:)?href>([^<]+)<\/(?:\w+:)?href>/g)].map(([, href = '']) => href.trim());
}

function unescaped(text: string): string {
  const plain = { quot: '"', apos: "'", lt: '<', gt: '>', '#34': '"', '#13': '\r', amp: '&' };
  return text.replaceAll(/&(quot|apos|lt|gt|#34|#13|amp);/g, (_, name: keyof typeof plain) => plain[name]);
}
