// The site's routes. Browsers get pages, and JSON below /api.
import { readFile } from 'node:fs/promises';
import { ApiError } from '@kalends/client';

const PUBLIC = new URL('public/', import.meta.url);
const PAGES = { '/': 'page.html', '/booking': 'booking.html' };
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css' };
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'",
  // The address of a booking has its token.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
const MOST_BYTES = 10_000;

/** @typedef {ReturnType<typeof import('./bookings.js').createBookings>} Bookings */
/** @typedef {(ids: string[], input: any) => Promise<object>} Route */

/**
 * Returns a listener for an HTTP server.
 * @param {Bookings} bookings
 */
export function createSite(bookings) {
  /** @type {Record<string, Route>} */
  const routes = {
    'GET hosts': () => bookings.listHosts(),
    'GET slots': (_, { who, ...window }) => bookings.slots(who, window),
    'POST holds': (_, { who, startDateTime, timeZone }) => bookings.hold(who, startDateTime, timeZone),
    'DELETE holds/*': ([id = '']) => bookings.release(id),
    'POST holds/*/confirm': ([id = ''], person) => bookings.confirm(id, person),
    'GET bookings/*': ([token = '']) => bookings.read(token),
    'PUT bookings/*': ([token = ''], { startDateTime, timeZone }) => bookings.move(token, startDateTime, timeZone),
    'DELETE bookings/*': ([token = '']) => bookings.cancel(token),
  };

  /** @param {import('node:http').IncomingMessage} request @returns {Promise<[status: number, body: object]>} */
  async function answerOf(request) {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const [resource = '', id, verb] = pathname.slice('/api/'.length).split('/');
    const path = [resource, ...(id === undefined ? [] : ['*']), ...(verb === undefined ? [] : [verb])].join('/');
    const route = routes[`${request.method} ${path}`];
    if (!route) return [404, { code: 'NotFound', message: 'There is no such address.' }];
    const isRead = request.method === 'GET';
    // Another site's form cannot send JSON: what it sends is refused.
    if (!isRead && !request.headers['content-type']?.startsWith('application/json')) return [415, {}];
    const input = isRead ? Object.fromEntries(searchParams) : await readJson(request);
    const body = await route(id === undefined ? [] : [decodeURIComponent(id)], input);
    return ['code' in body ? 409 : 200, body];
  }

  return /** @type {import('node:http').RequestListener} */ async (request, response) => {
    try {
      const { pathname } = new URL(request.url ?? '/', 'http://site');
      if (!pathname.startsWith('/api/')) return await sendFile(pathname, response);
      const [status, body] = await answerOf(request);
      response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
    } catch (error) {
      const [status, body] = problemOf(error);
      response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  };
}

/**
 * @param {string} pathname
 * @param {import('node:http').ServerResponse} response
 */
async function sendFile(pathname, response) {
  // The page of a booking reads the token from its own address: /booking/{token}
  const page = pathname.startsWith('/booking/') ? PAGES['/booking'] : pathname === '/' ? PAGES['/'] : undefined;
  const name = page ?? /^\/([\w-]+\.(?:js|css))$/.exec(pathname)?.[1];
  const bytes = name === undefined ? undefined : await readFile(new URL(name, PUBLIC)).catch(() => undefined);
  if (name === undefined || bytes === undefined) {
    response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain' }).end('Not found');
    return;
  }
  const extension = /** @type {keyof typeof TYPES} */ (name.split('.').at(-1));
  response.writeHead(200, { ...HEADERS, 'content-type': TYPES[extension] }).end(bytes);
}

/** @param {import('node:http').IncomingMessage} request */
async function readJson(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MOST_BYTES) throw new RangeError('The request is too long.');
  }
  const body = text === '' ? {} : JSON.parse(text);
  if (typeof body !== 'object' || body === null) throw new RangeError('The request must be a JSON object.');
  return body;
}

/**
 * Returns an error without what only the operator should see.
 * @param {unknown} error
 * @returns {[status: number, body: object]}
 */
function problemOf(error) {
  if (error instanceof RangeError || error instanceof SyntaxError || error instanceof URIError)
    return [400, { code: 'InvalidRequest', message: error.message }];
  if (error instanceof ApiError && (error.status === 400 || error.status === 404))
    return [error.status, { code: error.code, message: error.message }];
  console.error(error);
  return [502, { code: 'Unavailable', message: 'The calendar cannot be reached. Try again in a minute.' }];
}
