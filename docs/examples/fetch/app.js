// One function from Request to Response: the interface and its page under /calendar, beside routes of its own.
import { createDocsPage, createHandler } from '@kalends/http';
import { connected, connectUrl, engine } from './calendar.js';

const handlers = [createHandler(engine, { basePath: '/calendar' }), createDocsPage({ basePath: '/calendar' })];

export default {
  /**
   * @param {Request} request
   * @param {import('@kalends/http').Peer} [peer] the address that the host sees: failures are counted for it
   * @returns {Promise<Response>}
   */
  async fetch(request, peer) {
    const { pathname, searchParams } = new URL(request.url);
    const handler = handlers.find(({ matches }) => matches(pathname));
    if (handler) return handler(request, peer);
    if (pathname === '/connect') return Response.redirect(connectUrl);
    if (pathname === '/calendar/connected') return Response.json(await connected(searchParams));
    return new Response('Not found', { status: 404 });
  },
};
