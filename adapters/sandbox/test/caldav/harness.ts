import { createSandbox } from '@kalends/sandbox';
import { SaxesParser } from 'saxes';

export const KATE = 'kate@caldav.example';
export const DOT = 'dot@caldav.example';
export const NOW = Date.UTC(2026, 2, 2, 12);
const ORIGIN = 'http://sandbox.test';

export interface DavAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A response of a multistatus: its own status, or the text of each property by local name, with the status of its propstat. */
export interface DavResponse {
  readonly href: string;
  readonly status: number | undefined;
  readonly props: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
}

export interface DavInput {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A CalDAV sandbox with two mailboxes, called by raw requests as either. */
export function startCalDav() {
  let now = NOW;
  const sandbox = createSandbox({ seed: 5, clock: { now: () => now } });
  const passwords = new Map<string, string>();
  for (const [email, name] of [
    [KATE, 'Kate'],
    [DOT, 'Dot'],
  ] as const) {
    sandbox.caldav.addMailbox({ email, name, timeZone: 'Europe/London' });
    passwords.set(email, sandbox.caldav.addAppPassword({ email }));
  }

  async function call(
    email: string,
    method: string,
    path: string,
    { body, headers }: DavInput = {},
  ): Promise<DavAnswer> {
    const authorization = `Basic ${Buffer.from(`${email}:${passwords.get(email)}`).toString('base64')}`;
    const init = { method, headers: { authorization, ...headers }, ...(body === undefined ? {} : { body }) };
    const response = await sandbox.fetch(new Request(`${ORIGIN}${path}`, init));
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  return {
    sandbox,
    passwords,
    call,
    kate: (method: string, path: string, input?: DavInput) => call(KATE, method, path, input),
    dot: (method: string, path: string, input?: DavInput) => call(DOT, method, path, input),
    control: (name: string, input: Readonly<Record<string, unknown>> = {}) => sandbox.caldav.controls[name]?.(input),
    advance(ms: number) {
      now += ms;
    },
  };
}

export type CalDav = ReturnType<typeof startCalDav>;

export const homeOf = (email: string): string => `/caldav/calendars/${encodeURIComponent(email)}/`;
export const calendarOf = (email: string): string => `${homeOf(email)}personal/`;

/** Reads a multistatus with the parser alone. */
export function readMultistatus(body: string): { readonly token: string; readonly responses: readonly DavResponse[] } {
  const responses: { href: string; status: number | undefined; props: Record<string, string>; missing: string[] }[] =
    [];
  const path: string[] = [];
  let token = '';
  let found: [string, string][] = [];
  let code = 0;
  let text = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ local }) => {
    path.push(local);
    text = '';
    if (local === 'response') responses.push({ href: '', status: undefined, props: {}, missing: [] });
    if (local === 'propstat') found = [];
    const parent = path.at(-2);
    if (parent !== undefined && path.at(-3) !== undefined && path.at(-3) === 'prop') {
      found = found.map(([name, value]) => (name === parent ? [name, `${value}${local} `] : [name, value]));
    }
    if (parent === 'prop') found.push([local, '']);
  });
  const add = (data: string) => {
    text += data;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', ({ local }) => {
    const response = responses.at(-1);
    const parent = path.at(-2);
    path.pop();
    if (local === 'sync-token' && parent === 'multistatus') token = text;
    if (response === undefined) return;
    if (local === 'href' && parent === 'response') response.href = text;
    if (local === 'href' && path.at(-2) === 'prop') {
      found = found.map(([name, value]) =>
        name === parent ? [name, value.replace(/href $/, `${text} `)] : [name, value],
      );
    }
    if (local === 'status') code = Number(text.split(' ')[1]);
    if (local === 'status' && parent === 'response') response.status = code;
    if (parent === 'prop')
      found = found.map(([name, value]) => (name === local && value === '' ? [name, text] : [name, value]));
    if (local !== 'propstat') return;
    if (code === 200) Object.assign(response.props, Object.fromEntries(found));
    else response.missing.push(...found.map(([name]) => name));
  });
  parser.write(body).close();
  return { token, responses };
}

/** Prints a body with one or several VEVENTs. */
export function bodyOf(...events: readonly string[]): string {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...events, 'END:VCALENDAR', ''];
  return lines.join('\r\n');
}

/** Prints a VEVENT of an hour on 3 March 2026. */
export function eventOf(uid: string, lines: readonly string[] = []): string {
  const has = (name: string) => lines.some((line) => line.startsWith(name));
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260301T000000Z',
    ...(has('DTSTART') ? [] : ['DTSTART:20260303T090000Z']),
    ...(has('DTEND') ? [] : ['DTEND:20260303T100000Z']),
    ...lines,
    'END:VEVENT',
  ].join('\r\n');
}

/** Prints a propfind or the start of a report, with prefixes D, C and CS. */
const NAMESPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:CS="http://calendarserver.org/ns/"';
export const propfindOf = (...names: readonly string[]): string =>
  `<D:propfind ${NAMESPACES}><D:prop>${names.map((name) => `<${name}/>`).join('')}</D:prop></D:propfind>`;
export const syncOf = (token: string, more = ''): string =>
  `<D:sync-collection ${NAMESPACES}><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level>${more}` +
  '<D:prop><D:getetag/></D:prop></D:sync-collection>';
export const multigetOf = (hrefs: readonly string[]): string =>
  `<C:calendar-multiget ${NAMESPACES}><D:prop><D:getetag/><C:calendar-data/></D:prop>` +
  `${hrefs.map((href) => `<D:href>${href}</D:href>`).join('')}</C:calendar-multiget>`;
export const queryOf = (filter: string): string =>
  `<C:calendar-query ${NAMESPACES}><D:prop><D:getetag/></D:prop><C:filter><C:comp-filter name="VCALENDAR">` +
  `<C:comp-filter name="VEVENT">${filter}</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;

/** Puts an object of Kate's and returns the answer. */
export async function put(dav: CalDav, name: string, body: string, headers = {}): Promise<DavAnswer> {
  const path = `${calendarOf(KATE)}${name}`;
  return await dav.kate('PUT', path, { body, headers: { 'content-type': 'text/calendar; charset=utf-8', ...headers } });
}

/** The precondition of a refusal. */
export const conditionOf = ({ status, body }: DavAnswer): string =>
  `${status} ${/<[DC]:error[^>]*><([^/>]+)/.exec(body)?.[1]}`;

/** Names of the changes after a token, deletions with a minus before them, and the next token. */
export async function syncAs(dav: CalDav, email: string, token: string, more = '') {
  const answer = await dav.call(email, 'REPORT', calendarOf(email), {
    body: syncOf(token, more),
    headers: { depth: '0' },
  });
  const { token: next, responses } = readMultistatus(answer.body);
  const shown = responses.map(({ href, status }) => {
    const name = decodeURIComponent(href.split('/').at(-1) ?? '');
    return status === undefined ? name : `${status === 404 ? '-' : `${status} `}${name}`;
  });
  return { answer, next, shown };
}
