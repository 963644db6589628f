import type { CalendarServer, ServerUser } from '../start/calendar-server.ts';

/** A resource as the server has it. */
export interface RawObject {
  readonly href: string;
  readonly text: string;
}

/** A calendar of a server without any code of ours: bare requests, answers read by eye. */
export interface RawCalendar {
  readonly url: string;
  put(name: string, text: string): Promise<void>;
  remove(href: string): Promise<void>;
  /** Reads every object of the calendar. */
  objects(): Promise<readonly RawObject[]>;
}

/** Opens the calendar at a URL as a user. */
export function rawCalendar(url: string, { username, password }: ServerUser): RawCalendar {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const send = async (method: string, target: string, headers: Record<string, string>, body?: string) => {
    const ask = () =>
      fetch(new URL(target, url), {
        method,
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    // SOGo closes a connection that a next request is already on its way through; each of these requests may be sent twice.
    const answer = await ask().catch(ask);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text}`);
    return text;
  };
  return {
    url,
    put: async (name, text) => void (await send('PUT', name, { 'content-type': 'text/calendar; charset=utf-8' }, text)),
    remove: async (href) => void (await send('DELETE', href, {})),
    async objects() {
      const headers = { depth: '1', 'content-type': 'application/xml' };
      const asked = '<?xml version="1.0"?><propfind xmlns="DAV:"><prop><getetag/></prop></propfind>';
      const list = await send('PROPFIND', url, headers, asked);
      const hrefs = [...list.matchAll(/<(?:\w+:)?href>([^<]+)<\/(?:\w+:)?href>/g)].map(([, href = '']) => href.trim());
      const own = hrefs.filter((href) => !href.endsWith('/'));
      const objects: RawObject[] = [];
      // One by one: Cyrus gives each connection a process, and has few.
      for (const href of own) objects.push({ href, text: await send('GET', href, {}) });
      return objects;
    },
  };
}

/** Makes a new calendar in the home of a user by MKCALENDAR and opens it. */
export async function makeCalendar({ name: server, url }: CalendarServer, user: ServerUser, name: string) {
  const homes = {
    radicale: `/${user.username}/`,
    xandikos: `/${user.username}/calendars/`,
    davical: `/davical/caldav.php/${user.username}/`,
    cyrus: `/dav/calendars/user/${user.username}/`,
    sogo: `/SOGo/dav/${user.username}/Calendar/`,
  };
  const target = new URL(`${homes[server]}${name}/`, url).href;
  const authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
  const answer = await fetch(target, { method: 'MKCALENDAR', headers: { authorization } });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`MKCALENDAR ${target}: ${answer.status} ${text}`);
  return rawCalendar(target, user);
}
