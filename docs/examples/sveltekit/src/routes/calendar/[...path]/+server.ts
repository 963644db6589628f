// The interface and its page, under /calendar. Routes of your own below /calendar are more specific, and win.
import { createDocsPage } from '@kalends/http';
import { calendar } from '$lib/server/calendar';
import type { RequestHandler } from './$types';

const docs = createDocsPage({ basePath: '/calendar' });

const answer: RequestHandler = async ({ request, url, getClientAddress }) => {
  if (docs.matches(url.pathname)) return docs(request);
  const { handler } = await calendar();
  const response = await handler(request, { remoteAddress: getClientAddress() });
  // A body that was refused unread would stay in the connection, and the next request would wait behind it.
  if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream()).catch(() => undefined);
  return response;
};

// Every method, HEAD and OPTIONS among them.
export { answer as fallback };
